package import CloudRecords
package import JSONCoding

/// The format of field values, which the request specified.
package struct FieldStyle: Hashable, Sendable {
  /// Whether numbers and timestamps are written as texts, for clients without 64-bit integers.
  ///
  /// The members of locations and assets remain numbers.
  package var numbersAsStrings = false

  package init(numbersAsStrings: Bool = false) { self.numbersAsStrings = numbersAsStrings }
}

extension JSONWriter {
  /// Writes a field: its value, its type, and whether it is encrypted.
  mutating func field(_ field: Field, _ style: FieldStyle) {
    if field.isOpaqueCiphertext { return opaqueField(field, style) }
    self.field(of: field.value.type, isEncrypted: field.isEncrypted) {
      $0.value(field.value, style)
    }
  }

  /// Writes a field whose value a closure writes.
  package mutating func field<Failure: Error>(
    of type: FieldType, isEncrypted: Bool, value: (inout JSONWriter) throws(Failure) -> Void
  ) throws(Failure) {
    beginObject()
    key("value")
    try value(&self)
    text("type", type.name)
    if isEncrypted { bool("isEncrypted", true) }
    endObject()
  }

  /// Writes a field that its client sealed, with the type `ENCRYPTED_BYTES` as its only mark.
  private mutating func opaqueField(_ field: Field, _ style: FieldStyle) {
    beginObject()
    key("value")
    value(field.value, style)
    text("type", FieldTag.Word.ciphertext.rawValue)
    endObject()
  }

  /// Writes the value of a field.
  package mutating func value(_ value: FieldValue, _ style: FieldStyle) {
    switch value {
    case .string(let text): string(text)
    case .int64(let number): integer(number, style)
    case .double(let number): self.number(number, style)
    case .timestamp(let time): integer(time.milliseconds, style)
    case .bytes(let bytes): base64(bytes.span)
    case .reference(let reference): self.reference(reference)
    case .asset(let asset): self.asset(asset)
    case .location(let location): self.location(location)
    case .list(_, let members):
      beginArray()
      for member in members { self.value(member, style) }
      endArray()
    }
  }

  private mutating func integer(_ number: Int64, _ style: FieldStyle) {
    if style.numbersAsStrings { string(String(number)) } else { int64(number) }
  }

  private mutating func number(_ number: Double, _ style: FieldStyle) {
    if style.numbersAsStrings { string("\(number)") } else { double(number) }
  }

  private mutating func reference(_ reference: RecordReference) {
    beginObject()
    text("recordName", reference.recordName)
    text("action", reference.action.name)
    if let zone = reference.zone {
      key("zoneID")
      self.zone(zone)
    }
    endObject()
  }

  mutating func asset(_ asset: AssetValue) {
    beginObject()
    text("fileChecksum", asset.fileChecksum)
    // The size may be unknown in a response.
    if asset.size >= 0 { number("size", asset.size) }
    text("referenceChecksum", ifPresent: asset.referenceChecksum)
    text("wrappingKey", ifPresent: asset.wrappingKey)
    text("receipt", ifPresent: asset.receipt)
    text("downloadURL", ifPresent: asset.downloadURL)
    endObject()
  }

  private mutating func location(_ place: LocationValue) {
    beginObject()
    key("latitude")
    double(place.latitude)
    key("longitude")
    double(place.longitude)
    optional("horizontalAccuracy", place.horizontalAccuracy)
    optional("verticalAccuracy", place.verticalAccuracy)
    optional("altitude", place.altitude)
    optional("speed", place.speed)
    optional("course", place.course)
    if let time = place.timestamp { number("timestamp", time.milliseconds) }
    endObject()
  }

  private mutating func optional(_ key: StaticString, _ number: Double?) {
    guard let number else { return }
    self.key(key)
    double(number)
  }
}
