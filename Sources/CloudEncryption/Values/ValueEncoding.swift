import BinaryCoding
import CloudRecords

/// The plain encoding of a value before sealing: its type in one byte, then its binary form.
enum ValueEncoding {
  /// The type of a removed value.
  private static let removed: UInt8 = 0

  static func write(_ value: FieldValue?, to form: inout BinaryWriter) {
    guard let value else { return form.byte(removed) }
    precondition(
      value.type.canBeEncrypted, "References and assets are refused before anything is written.")
    form.byte(value.type.rawValue)
    value.write(to: &form)
  }

  static func value(from form: inout BinaryReader) throws(BinaryCodingError) -> FieldValue? {
    let code = try form.byte()
    guard code != removed else { return nil }
    guard let type = FieldType(rawValue: code) else {
      throw form.error("it has an unknown type")
    }
    guard type.canBeEncrypted else { throw form.error("it has a type that is never sealed") }
    return try FieldValue(type, from: &form)
  }
}
