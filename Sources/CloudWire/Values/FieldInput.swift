package import CloudRecords

/// A field as a client sends it, before the schema has said what it is.
package struct FieldInput: Hashable, Sendable {
  package enum Content: Hashable, Sendable {
    /// The field is to have no value.
    case clear
    /// A value of a type that the client stated.
    case stated(FieldValue)
    /// A value without a type, read as what it looks like.
    case inferred(FieldValue)
    /// An empty list without a type: it has that of the field.
    case emptyList
  }

  package var content: Content
  /// The client says that the value is sealed.
  package var isEncrypted: Bool
  /// The value is a sealed one of an older kind (`ENCRYPTED_BYTES`), which says by itself that it
  /// is sealed.
  package var isOpaqueCiphertext: Bool

  package init(_ content: Content, isEncrypted: Bool = false, isOpaqueCiphertext: Bool = false) {
    self.content = content
    self.isEncrypted = isEncrypted || isOpaqueCiphertext
    self.isOpaqueCiphertext = isOpaqueCiphertext
  }
}

extension FieldInput {
  /// The value as one of a type that the schema knows, where nothing is lost by it; nil where it is
  /// none.
  ///
  /// A stated type must be the field's. A value without one may be what it looks like, or what JSON
  /// cannot tell from that: a whole number may be a double or a time, and a text may be bytes.
  package func value(as type: FieldType) -> FieldValue? {
    switch content {
    case .clear: nil
    case .stated(let value): value.type == type ? value : nil
    case .emptyList: type.member.map { .list(of: $0, []) }
    case .inferred(let value): Self.convert(value, to: type)
    }
  }

  private static func convert(_ value: FieldValue, to type: FieldType) -> FieldValue? {
    if value.type == type { return value }
    switch (value, type) {
    case (.int64(let number), .double): return Double(exactly: number).map { .double($0) }
    case (.int64(let number), .timestamp): return .timestamp(Timestamp(milliseconds: number))
    case (.double(let number), .int64): return Int64(exactly: number).map { .int64($0) }
    case (.string(let text), .bytes): return Base64Text.bytes(text).map { .bytes($0) }
    case (.list(_, let members), _):
      guard let member = type.member else { return nil }
      let converted = members.compactMap { convert($0, to: member) }
      return converted.count == members.count ? .list(of: member, converted) : nil
    default: return nil
    }
  }
}
