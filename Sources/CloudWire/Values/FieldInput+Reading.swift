import CloudRecords
package import JSONCoding

/// Reading a field: `{"value": …, "type": …, "isEncrypted": …}`, or a bare value.
extension FieldInput {
  private enum Key: String, JSONKey {
    case value, type, isEncrypted
    static let table = JSONKeyTable<Key>()
  }

  package init(from reader: inout JSONReader) throws(JSONError) {
    try self.init(from: &reader, isAnswer: false)
  }

  /// Reads a field.
  ///
  /// - Parameter isAnswer: Whether the field belongs to a response, possibly of another server. If
  ///   so, values of unknown types are inferred from their form, or ignored.
  init(from reader: inout JSONReader, isAnswer: Bool) throws(JSONError) {
    switch try reader.peek() {
    case .object: try self.init(object: &reader, isAnswer: isAnswer)
    case .null:
      _ = try reader.null()
      self.init(.clear)
    default: self.init(try Self.untyped(&reader, isAnswer: isAnswer))
    }
  }

  /// Reads a bare value of a response.
  ///
  /// Unlike in `init(from:isAnswer:)`, an object is the value itself.
  init(bare reader: inout JSONReader) throws(JSONError) {
    self.init(try Self.untyped(&reader, isAnswer: true))
  }

  private init(object reader: inout JSONReader, isAnswer: Bool) throws(JSONError) {
    var place: JSONReader.SavedPosition?
    var text: String?
    var tag: FieldTag?
    var isEncrypted = false
    var object = try reader.beginObject(Key.self)
    while let key = try reader.nextKey(of: &object) {
      switch key {
      case .value:
        // The value of a text is usually a string, so it is read at once. If the type turns out to
        // be another, the value is read again.
        if try reader.peek() == .string {
          (place, text) = (try reader.savedPosition(), try reader.string())
        } else {
          place = try reader.skipForLater()
        }
      case .type: tag = try FieldTag(from: &reader)
      case .isEncrypted: isEncrypted = try reader.optionalBool() ?? false
      }
    }
    guard let place else {
      self.init(.clear, isEncrypted: isEncrypted)
      return
    }
    if let text, let content = Self.content(text, tag) {
      self.init(content, isEncrypted: isEncrypted)
      return
    }
    if isAnswer, let plain = tag?.unsealed { (tag, isEncrypted) = (plain, true) }
    let content = try reader.read(place) { (reader) throws(JSONError) in
      try Self.content(&reader, tag, isAnswer: isAnswer)
    }
    self.init(content, isEncrypted: isEncrypted, isOpaqueCiphertext: tag == .known(.ciphertext))
  }

  /// Returns the content of a text whose type is `STRING` or missing, or nil for other types.
  private static func content(_ text: String, _ tag: FieldTag?) -> Content? {
    switch tag {
    case nil: .inferred(.string(text))
    case .known(.string): .stated(.string(text))
    default: nil
    }
  }

  private static func content(
    _ reader: inout JSONReader, _ tag: FieldTag?, isAnswer: Bool
  ) throws(JSONError) -> Content {
    if try reader.peek() == .null {
      _ = try reader.null()
      return .clear
    }
    switch tag {
    case nil, .known(.unknownList): return try untyped(&reader, isAnswer: isAnswer)
    case .known(let word): return .stated(try FieldValue(word.type, from: &reader))
    case .unknown(let text):
      guard isAnswer else {
        throw reader.invalidValue("Unexpected input: there is no type \(text)")
      }
      return try untyped(&reader, isAnswer: true)
    }
  }

  private static func untyped(_ reader: inout JSONReader, isAnswer: Bool) throws(JSONError)
    -> Content
  {
    guard isAnswer else { return try untyped(&reader) }
    return try reader.ifReadable { (reader) throws(JSONError) in try untyped(&reader) } ?? .clear
  }

  /// Reads a value whose type is inferred from its form.
  private static func untyped(_ reader: inout JSONReader) throws(JSONError) -> Content {
    guard try reader.peek() == .array else {
      return .inferred(try FieldValue(inferredFrom: &reader))
    }
    let members = try reader.list { (reader) throws(JSONError) in
      try FieldValue(inferredFrom: &reader)
    }
    guard let first = members.first else { return .emptyList }
    if members.allSatisfy({ $0.type == first.type }) {
      return .inferred(.list(of: first.type, members))
    }
    // If a list contains doubles, its whole numbers become doubles, too.
    let numbers = members.compactMap { member -> FieldValue? in
      switch member {
      case .double: member
      case .int64(let number): .double(Double(number))
      default: nil
      }
    }
    guard numbers.count == members.count else {
      throw reader.invalidValue("the members of a list have one type")
    }
    return .inferred(.list(of: .double, numbers))
  }
}
