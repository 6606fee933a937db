import CloudRecords

/// Record types that every schema has, even if its text does not mention them.
package enum SystemType: String, CaseIterable, Hashable, Sendable {
  /// One record for each user.
  case users = "Users"
  /// Shares. The definition has only fields that applications add; `field(named:)` returns the
  /// others.
  case share = "cloudkit.share"

  /// The type's definition before applications add to it.
  package var definition: RecordTypeDefinition {
    switch self {
    case .users:
      var type = RecordTypeDefinition(name: rawValue, grants: .ofUsers)
      type.define(FieldDefinition(name: "roles", datatype: .plain(.int64List)))
      return type
    case .share: return RecordTypeDefinition(name: rawValue)
    }
  }

  /// Returns a field that the type has without a definition.
  package func field(named name: String) -> FieldDefinition? {
    guard self == .share, let type = Self.fieldsOfShares[name] else { return nil }
    return FieldDefinition(name: name, datatype: .plain(type))
  }

  /// Fields that clients show to invited users.
  private static let fieldsOfShares: [String: FieldType] = [
    "cloudkit.title": .string, "cloudkit.type": .string, "cloudkit.thumbnailImageData": .bytes,
  ]
}
