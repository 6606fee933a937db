import BinaryCoding
import CloudRecords

/// The plain encoding of a value before sealing: its type in one byte, then the value.
enum ValueEncoding {
  static func bytes(of value: FieldValue) -> [UInt8] {
    var form = BinaryWriter()
    form.byte(value.type.rawValue)
    write(value, to: &form)
    return form.bytes
  }

  static func value(of bytes: [UInt8]) throws(BinaryCodingError) -> FieldValue {
    var form = BinaryReader(bytes)
    guard let type = FieldType(rawValue: try form.byte()) else {
      throw form.damage("it has an unknown type")
    }
    let value = try read(type, from: &form)
    try form.requireEnd()
    return value
  }

  private static func write(_ value: FieldValue, to form: inout BinaryWriter) {
    switch value {
    case .string(let text): form.text(text)
    case .int64(let number): form.signed(number)
    case .double(let number): form.double(number)
    case .timestamp(let time): form.signed(time.milliseconds)
    case .bytes(let bytes): form.data(bytes)
    case .location(let location): write(location, to: &form)
    case .list(_, let members):
      form.count(members.count)
      for member in members { write(member, to: &form) }
    case .reference, .asset:
      preconditionFailure("References and assets are refused before anything is written.")
    }
  }

  private static func read(_ type: FieldType, from form: inout BinaryReader)
    throws(BinaryCodingError) -> FieldValue
  {
    switch type {
    case .string: return .string(try form.text())
    case .int64: return .int64(try form.signed())
    case .double: return .double(try form.double())
    case .timestamp: return .timestamp(Timestamp(milliseconds: try form.signed()))
    case .bytes: return .bytes(try form.data())
    case .location: return .location(try location(from: &form))
    case .reference, .asset, .referenceList, .assetList:
      throw form.damage("it has a type that is never sealed")
    default:
      guard let member = type.member else { throw form.damage("it has an unknown type") }
      return .list(
        of: member,
        try form.list { (form) throws(BinaryCodingError) in try read(member, from: &form) })
    }
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
