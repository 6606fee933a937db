import BinaryCoding
import CloudRecords

/// The plain encoding of a value before sealing: its type in one byte, then its binary form.
enum ValueEncoding {
  static func bytes(of value: FieldValue) -> [UInt8] {
    precondition(
      value.type.canBeEncrypted, "References and assets are refused before anything is written.")
    var form = BinaryWriter()
    form.byte(value.type.rawValue)
    value.write(to: &form)
    return form.bytes
  }

  static func value(of bytes: [UInt8]) throws(BinaryCodingError) -> FieldValue {
    var form = BinaryReader(bytes)
    guard let type = FieldType(rawValue: try form.byte()) else {
      throw form.damage("it has an unknown type")
    }
    guard type.canBeEncrypted else { throw form.damage("it has a type that is never sealed") }
    let value = try FieldValue(type, from: &form)
    try form.requireEnd()
    return value
  }
}
