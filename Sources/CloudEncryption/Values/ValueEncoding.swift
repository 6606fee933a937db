import BinaryCoding
import CloudRecords

/// The plain encoding of a value before sealing: its type in one byte, then its binary form.
enum ValueEncoding {
  static func write(_ value: FieldValue, to form: inout BinaryWriter) {
    precondition(
      value.type.canBeEncrypted, "References and assets are refused before anything is written.")
    form.byte(value.type.rawValue)
    value.write(to: &form)
  }

  static func value(from form: inout BinaryReader) throws(BinaryCodingError) -> FieldValue {
    guard let type = FieldType(rawValue: try form.byte()) else {
      throw form.damage("it has an unknown type")
    }
    guard type.canBeEncrypted else { throw form.damage("it has a type that is never sealed") }
    let value = try FieldValue(type, from: &form)
    try form.requireEnd()
    return value
  }
}
