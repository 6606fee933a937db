/// The value of a field.
package enum FieldValue: Hashable, Sendable {
  case string(String)
  case int64(Int64)
  case double(Double)
  case timestamp(Timestamp)
  case bytes([UInt8])
  case reference(RecordReference)
  case asset(AssetValue)
  case location(LocationValue)
  /// A list whose elements all have the type `of`. Lists do not nest.
  case list(of: FieldType, [FieldValue])

  package var type: FieldType {
    switch self {
    case .string: .string
    case .int64: .int64
    case .double: .double
    case .timestamp: .timestamp
    case .bytes: .bytes
    case .reference: .reference
    case .asset: .asset
    case .location: .location
    case .list(let member, _): member.list ?? .bytesList
    }
  }

  /// Whether the value is an asset or a list of assets.
  package var holdsFiles: Bool {
    switch self {
    case .asset, .list(of: .asset, _): true
    default: false
    }
  }
}

/// A field of a record: a value, and whether the field is encrypted.
package struct Field: Hashable, Sendable {
  package var value: FieldValue
  /// Whether the field is encrypted.
  ///
  /// The value is ciphertext while it is sealed, and plaintext before and after that.
  package var isEncrypted: Bool
  /// Whether the value was written as `ENCRYPTED_BYTES`.
  ///
  /// It is returned in the same form.
  package var isOpaqueCiphertext: Bool

  package init(_ value: FieldValue, isEncrypted: Bool = false, isOpaqueCiphertext: Bool = false) {
    self.value = value
    self.isEncrypted = isEncrypted || isOpaqueCiphertext
    self.isOpaqueCiphertext = isOpaqueCiphertext
  }
}
