package import BinaryCoding

/// The binary form of a value, which the server stores and devices seal.
///
/// The type is written elsewhere, mostly in one byte before the value.
extension FieldValue {
  /// The form of a single value.
  package var binaryForm: [UInt8] {
    var form = BinaryWriter(capacity: 64)
    write(to: &form)
    return form.bytes
  }

  /// Decodes a single value; nil if the bytes are not of the type.
  package init?(_ type: FieldType, binaryForm bytes: [UInt8]) {
    var form = BinaryReader(bytes)
    guard let value = try? FieldValue(type, from: &form), form.isAtEnd else { return nil }
    self = value
  }

  package func write(to form: inout BinaryWriter) {
    switch self {
    case .string(let text): form.text(text)
    case .int64(let number): form.signed(number)
    case .double(let number): form.double(number)
    case .timestamp(let time): form.signed(time.milliseconds)
    case .bytes(let bytes): form.data(bytes)
    case .reference(let reference): reference.write(to: &form)
    case .asset(let asset): asset.write(to: &form)
    case .location(let location): location.write(to: &form)
    case .list(_, let members):
      form.count(members.count)
      for member in members { member.write(to: &form) }
    }
  }

  package init(_ type: FieldType, from form: inout BinaryReader) throws(BinaryCodingError) {
    switch type {
    case .string: self = .string(try form.text())
    case .int64: self = .int64(try form.signed())
    case .double: self = .double(try form.double())
    case .timestamp: self = .timestamp(Timestamp(milliseconds: try form.signed()))
    case .bytes: self = .bytes(try form.data())
    case .reference: self = .reference(try RecordReference(from: &form))
    case .asset: self = .asset(try AssetValue(from: &form))
    case .location: self = .location(try LocationValue(from: &form))
    default:
      guard let member = type.member else { throw form.error("a list of nothing") }
      let count = try form.count()
      var members: [FieldValue] = []
      members.reserveCapacity(count)
      for _ in 0..<count { members.append(try FieldValue(member, from: &form)) }
      self = .list(of: member, members)
    }
  }
}

extension RecordReference {
  fileprivate func write(to form: inout BinaryWriter) {
    form.byte(action.rawValue)
    form.text(recordName)
    form.optional(zone) { form, zone in
      form.text(zone.ownerName)
      form.text(zone.zoneName)
    }
  }

  fileprivate init(from form: inout BinaryReader) throws(BinaryCodingError) {
    guard let action = Action(rawValue: try form.byte()) else {
      throw form.error("an unknown action of a reference")
    }
    let name = try form.text()
    let zone = try form.optional { (form) throws(BinaryCodingError) in
      let owner = try form.text()
      return RecordZoneIdentifier(zoneName: try form.text(), ownerName: owner)
    }
    self.init(recordName: name, zone: zone, action: action)
  }
}

extension AssetValue {
  /// Omits the receipt and the download URL, which expire.
  fileprivate func write(to form: inout BinaryWriter) {
    form.text(fileChecksum)
    form.signed(size)
    form.optional(referenceChecksum) { $0.text($1) }
    form.optional(wrappingKey) { $0.text($1) }
  }

  fileprivate init(from form: inout BinaryReader) throws(BinaryCodingError) {
    let checksum = try form.text()
    let size = try form.signed()
    let reference = try form.optional { (form) throws(BinaryCodingError) in try form.text() }
    let key = try form.optional { (form) throws(BinaryCodingError) in try form.text() }
    self.init(fileChecksum: checksum, size: size, referenceChecksum: reference, wrappingKey: key)
  }
}

extension LocationValue {
  fileprivate func write(to form: inout BinaryWriter) {
    form.double(latitude)
    form.double(longitude)
    form.optional(horizontalAccuracy) { $0.double($1) }
    form.optional(verticalAccuracy) { $0.double($1) }
    form.optional(altitude) { $0.double($1) }
    form.optional(speed) { $0.double($1) }
    form.optional(course) { $0.double($1) }
    form.optional(timestamp) { $0.signed($1.milliseconds) }
  }

  fileprivate init(from form: inout BinaryReader) throws(BinaryCodingError) {
    let latitude = try form.double()
    self.init(latitude: latitude, longitude: try form.double())
    func number() throws(BinaryCodingError) -> Double? {
      try form.optional { (form) throws(BinaryCodingError) in try form.double() }
    }
    horizontalAccuracy = try number()
    verticalAccuracy = try number()
    altitude = try number()
    speed = try number()
    course = try number()
    let time = try form.optional { (form) throws(BinaryCodingError) in try form.signed() }
    timestamp = time.map { Timestamp(milliseconds: $0) }
  }
}
