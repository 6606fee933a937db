import BinaryCoding
import CloudRecords
import CloudWire
import JSONCoding

extension FieldEncoding {
  /// Writes fields into a response while reading them.
  ///
  /// Strings and byte strings are copied directly; other values are decoded first.
  static func write(
    from form: inout BinaryReader, to writer: inout JSONWriter, for view: RecordView
  ) throws(BinaryCodingError) {
    for _ in 0..<(try form.count()) {
      let isWanted = try writeKey(from: &form, to: &writer, for: view)
      let (type, isEncrypted) = try mark(from: &form)
      guard isWanted else {
        try skipValue(type, of: &form)
        continue
      }
      try writer.field(of: type, isEncrypted: isEncrypted) { (writer) throws(BinaryCodingError) in
        try writeValue(type, from: &form, to: &writer, for: view)
      }
    }
  }

  /// Writes a field's name as the key of its value.
  ///
  /// - Returns: False, without writing anything, if the field is not requested.
  private static func writeKey(
    from form: inout BinaryReader, to writer: inout JSONWriter, for view: RecordView
  ) throws(BinaryCodingError) -> Bool {
    guard view.desiredKeys != nil else {
      try form.withText { writer.key(utf8: $0) }
      return true
    }
    let name = try form.text()
    guard view.wants(name) else { return false }
    writer.key(text: name)
    return true
  }

  private static func writeValue(
    _ type: FieldType, from form: inout BinaryReader, to writer: inout JSONWriter,
    for view: RecordView
  ) throws(BinaryCodingError) {
    switch type {
    case .string: try form.withText { writer.string(utf8: $0) }
    case .bytes: try form.withData { writer.base64($0) }
    case .asset, .assetList: writer.value(view.show(try FieldValue(type, from: &form)), view.style)
    default: writer.value(try FieldValue(type, from: &form), view.style)
    }
  }

  private static func skipValue(_ type: FieldType, of form: inout BinaryReader)
    throws(BinaryCodingError)
  {
    switch type {
    case .string, .bytes: try form.skipText()
    default: _ = try FieldValue(type, from: &form)
    }
  }
}
