import BinaryCoding
import CloudRecords

/// The stored encoding of fields, sorted by name.
///
/// Each has a name, a byte for the type and the encryption flag, and a value
/// (`FieldValue.write(to:)`).
enum FieldEncoding {
  private static let encrypted: UInt8 = 0x80

  static func write(_ fields: RecordFields, to form: inout BinaryWriter) {
    form.count(fields.count)
    for entry in fields {
      form.text(entry.name)
      form.byte(entry.field.value.type.rawValue | (entry.field.isEncrypted ? encrypted : 0))
      entry.field.value.write(to: &form)
    }
  }

  static func read(from form: inout BinaryReader) throws(BinaryCodingError) -> RecordFields {
    let count = try form.count()
    var entries: [RecordFields.Entry] = []
    entries.reserveCapacity(count)
    for _ in 0..<count {
      let name = try form.text()
      let (type, isEncrypted) = try mark(from: &form)
      let value = try FieldValue(type, from: &form)
      if let last = entries.last, !last.name.utf8.lexicographicallyPrecedes(name.utf8) {
        throw form.error("fields out of order")
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
      throw form.error("an unknown type of field")
    }
    return (type, mark & encrypted != 0)
  }
}
