import CloudRecords
package import JSONCoding

/// Reads one field: `{"value": …, "type": …, "isEncrypted": …}`, or a bare value.
extension FieldInput {
  private enum Key: String, JSONKey {
    case value, type, isEncrypted
    static let table = JSONKeyTable<Key>()
  }

  package init(from reader: inout JSONReader) throws(JSONError) {
    switch try reader.peek() {
    case .object: try self.init(object: &reader)
    case .null:
      _ = try reader.null()
      self.init(.clear)
    default: self.init(try Self.untyped(&reader))
    }
  }

  private init(object reader: inout JSONReader) throws(JSONError) {
    var place: JSONReader.Place?
    var text: String?
    var tag: String?
    var isEncrypted = false
    var object = try reader.beginObject(Key.self)
    while let key = try reader.nextKey(of: &object) {
      switch key {
      case .value:
        // A text before its type is most often what it looks like: it is read at once, and again where it is not.
        if try reader.peek() == .string {
          (place, text) = (try reader.place(), try reader.string())
        } else {
          place = try reader.postpone()
        }
      case .type: tag = try reader.optionalText()
      case .isEncrypted: isEncrypted = try reader.optionalBool() ?? false
      }
    }
    guard let place else {
      self.init(.clear, isEncrypted: isEncrypted)
      return
    }
    if let text, let content = Self.content(text, tag: tag) {
      self.init(content, isEncrypted: isEncrypted)
      return
    }
    let content = try reader.read(place) { (reader) throws(JSONError) in try Self.content(&reader, tag: tag) }
    self.init(content, isEncrypted: isEncrypted, isOpaqueCiphertext: tag == Self.ciphertextTag)
  }

  private static let ciphertextTag = "ENCRYPTED_BYTES"

  /// A text that is nothing but a text; nil where its type says otherwise.
  private static func content(_ text: String, tag: String?) -> Content? {
    guard let tag else { return .inferred(.string(text)) }
    return tag == FieldType.string.name ? .stated(.string(text)) : nil
  }

  private static func content(_ reader: inout JSONReader, tag: String?) throws(JSONError) -> Content {
    if try reader.peek() == .null {
      _ = try reader.null()
      return .clear
    }
    switch tag {
    case nil: return try untyped(&reader)
    case ciphertextTag: return .stated(.bytes(try reader.base64()))
    case "BOOLEAN", "NUMBER_INT64": return .stated(try FieldValue(.int64, from: &reader))
    case "BOOLEAN_LIST": return .stated(try FieldValue(.int64List, from: &reader))
    case "UNKNOWN_LIST": return try untyped(&reader)
    case let tag?:
      guard let type = FieldType(name: tag) else {
        throw reader.invalidValue("Unexpected input: there is no type \(tag)")
      }
      return .stated(try FieldValue(type, from: &reader))
    }
  }

  /// A value of which only its looks tell the type.
  private static func untyped(_ reader: inout JSONReader) throws(JSONError) -> Content {
    guard try reader.peek() == .array else { return .inferred(try FieldValue(inferredFrom: &reader)) }
    let members = try reader.list { (reader) throws(JSONError) in try FieldValue(inferredFrom: &reader) }
    guard let first = members.first else { return .emptyList }
    if members.allSatisfy({ $0.type == first.type }) { return .inferred(.list(of: first.type, members)) }
    // Whole numbers among fractions are doubles, too.
    let numbers = members.compactMap { member -> FieldValue? in
      switch member {
      case .double: member
      case .int64(let number): .double(Double(number))
      default: nil
      }
    }
    guard numbers.count == members.count else { throw reader.invalidValue("the members of a list have one type") }
    return .inferred(.list(of: .double, numbers))
  }
}
