import BinaryCoding
import CloudRecords

/// The stored encoding of fields: type and encryption flag in one byte, then the value.
enum FieldEncoding {
  private static let encrypted: UInt8 = 0x80

  static func write(_ fields: RecordFields, to form: inout BinaryWriter) {
    form.count(fields.count)
    for entry in fields {
      form.text(entry.name)
      form.byte(entry.field.value.type.rawValue | (entry.field.isEncrypted ? encrypted : 0))
      write(entry.field.value, to: &form)
    }
  }

  static func read(from form: inout BinaryReader) throws(BinaryCodingError) -> RecordFields {
    let count = try form.count()
    var entries: [RecordFields.Entry] = []
    entries.reserveCapacity(count)
    for _ in 0..<count {
      let name = try form.text()
      let (type, isEncrypted) = try mark(from: &form)
      let value = try self.value(type, from: &form)
      if let last = entries.last, !last.name.utf8.lexicographicallyPrecedes(name.utf8) {
        throw form.damage("fields out of order")
      }
      entries.append(RecordFields.Entry(name: name, field: Field(value, isEncrypted: isEncrypted)))
    }
    return RecordFields(sorted: entries)
  }

  static func mark(from form: inout BinaryReader) throws(BinaryCodingError) -> (
    type: FieldType, isEncrypted: Bool
  ) {
    let mark = try form.byte()
    guard let type = FieldType(rawValue: mark & ~encrypted) else {
      throw form.damage("an unknown type of field")
    }
    return (type, mark & encrypted != 0)
  }

  /// The encoding of a single value.
  static func bytes(of value: FieldValue) -> [UInt8] {
    var form = BinaryWriter(capacity: 64)
    write(value, to: &form)
    return form.bytes
  }

  /// Decodes a single value; nil if the bytes are not of the type.
  static func value(_ type: FieldType, bytes: [UInt8]) -> FieldValue? {
    var form = BinaryReader(bytes)
    guard let value = try? value(type, from: &form), form.isAtEnd else { return nil }
    return value
  }

  private static func write(_ value: FieldValue, to form: inout BinaryWriter) {
    switch value {
    case .string(let text): form.text(text)
    case .int64(let number): form.signed(number)
    case .double(let number): form.double(number)
    case .timestamp(let time): form.signed(time.milliseconds)
    case .bytes(let bytes): form.data(bytes)
    case .reference(let reference): write(reference, to: &form)
    case .asset(let asset): write(asset, to: &form)
    case .location(let location): write(location, to: &form)
    case .list(_, let members):
      form.count(members.count)
      for member in members { write(member, to: &form) }
    }
  }

  static func value(_ type: FieldType, from form: inout BinaryReader) throws(BinaryCodingError)
    -> FieldValue
  {
    switch type {
    case .string: return .string(try form.text())
    case .int64: return .int64(try form.signed())
    case .double: return .double(try form.double())
    case .timestamp: return .timestamp(Timestamp(milliseconds: try form.signed()))
    case .bytes: return .bytes(try form.data())
    case .reference: return .reference(try reference(from: &form))
    case .asset: return .asset(try asset(from: &form))
    case .location: return .location(try location(from: &form))
    default:
      guard let member = type.member else { throw form.damage("a list of nothing") }
      let count = try form.count()
      var members: [FieldValue] = []
      members.reserveCapacity(count)
      for _ in 0..<count { members.append(try value(member, from: &form)) }
      return .list(of: member, members)
    }
  }
}

// MARK: - Composite values

extension FieldEncoding {
  private static func write(_ reference: RecordReference, to form: inout BinaryWriter) {
    form.byte(reference.action.rawValue)
    form.text(reference.recordName)
    form.optional(reference.zone) { form, zone in
      form.text(zone.ownerName)
      form.text(zone.zoneName)
    }
  }

  private static func reference(from form: inout BinaryReader) throws(BinaryCodingError)
    -> RecordReference
  {
    guard let action = RecordReference.Action(rawValue: try form.byte()) else {
      throw form.damage("an unknown action of a reference")
    }
    let name = try form.text()
    let zone = try form.optional { (form) throws(BinaryCodingError) in
      let owner = try form.text()
      return RecordZoneIdentifier(zoneName: try form.text(), ownerName: owner)
    }
    return RecordReference(recordName: name, zone: zone, action: action)
  }

  /// Receipts and addresses are not stored, since they are valid for one request.
  private static func write(_ asset: AssetValue, to form: inout BinaryWriter) {
    form.text(asset.fileChecksum)
    form.signed(asset.size)
    form.optional(asset.referenceChecksum) { $0.text($1) }
    form.optional(asset.wrappingKey) { $0.text($1) }
  }

  private static func asset(from form: inout BinaryReader) throws(BinaryCodingError) -> AssetValue {
    let checksum = try form.text()
    let size = try form.signed()
    let reference = try form.optional { (form) throws(BinaryCodingError) in try form.text() }
    let key = try form.optional { (form) throws(BinaryCodingError) in try form.text() }
    return AssetValue(
      fileChecksum: checksum, size: size, referenceChecksum: reference, wrappingKey: key)
  }

  private static func write(_ location: LocationValue, to form: inout BinaryWriter) {
    form.double(location.latitude)
    form.double(location.longitude)
    form.optional(location.horizontalAccuracy) { $0.double($1) }
    form.optional(location.verticalAccuracy) { $0.double($1) }
    form.optional(location.altitude) { $0.double($1) }
    form.optional(location.speed) { $0.double($1) }
    form.optional(location.course) { $0.double($1) }
    form.optional(location.timestamp) { $0.signed($1.milliseconds) }
  }

  private static func location(from form: inout BinaryReader) throws(BinaryCodingError)
    -> LocationValue
  {
    let latitude = try form.double()
    var location = LocationValue(latitude: latitude, longitude: try form.double())
    location.horizontalAccuracy = try form.optional { (form) throws(BinaryCodingError) in
      try form.double()
    }
    location.verticalAccuracy = try form.optional { (form) throws(BinaryCodingError) in
      try form.double()
    }
    location.altitude = try form.optional { (form) throws(BinaryCodingError) in try form.double() }
    location.speed = try form.optional { (form) throws(BinaryCodingError) in try form.double() }
    location.course = try form.optional { (form) throws(BinaryCodingError) in try form.double() }
    let time = try form.optional { (form) throws(BinaryCodingError) in try form.signed() }
    location.timestamp = time.map { Timestamp(milliseconds: $0) }
    return location
  }
}
