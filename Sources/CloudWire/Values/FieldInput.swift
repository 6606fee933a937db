package import CloudRecords

/// A field as sent by a client, before the schema determines its type.
package struct FieldInput: Hashable, Sendable {
  package enum Content: Hashable, Sendable {
    /// The field is cleared.
    case clear
    /// A value of a type that the client stated.
    case stated(FieldValue)
    /// A value without a type, which is inferred from its form.
    case inferred(FieldValue)
    /// An empty list without a type, which gets the field's type.
    case emptyList
  }

  package var content: Content
  /// Whether the field is marked as encrypted, so that the server seals its value.
  package var isEncrypted: Bool
  /// Whether the client has sealed the value, and sent it as `ENCRYPTED_BYTES`.
  package var isOpaqueCiphertext: Bool

  package init(_ content: Content, isEncrypted: Bool = false, isOpaqueCiphertext: Bool = false) {
    self.content = content
    self.isEncrypted = isEncrypted || isOpaqueCiphertext
    self.isOpaqueCiphertext = isOpaqueCiphertext
  }
}

extension FieldInput {
  /// Converts the value to a type of the schema without loss, or returns nil.
  ///
  /// A stated type must be the field's type. An inferred value can also become a type that JSON
  /// does not distinguish: a whole number a double or a date, and a text bytes.
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
