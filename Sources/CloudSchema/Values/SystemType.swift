import CloudRecords

/// Record types that every schema has, also where its text does not mention them.
package enum SystemType: String, CaseIterable, Hashable, Sendable {
  /// One record for each user.
  case users = "Users"
  /// Shares. Their definition holds fields that applications add only; `field(named:)` has the
  /// others.
  case share = "cloudkit.share"

  /// What the type is before anybody adds to it.
  package var definition: RecordTypeDefinition {
    switch self {
    case .users:
      var type = RecordTypeDefinition(name: rawValue, grants: .ofUsers)
      type.define(FieldDefinition(name: "roles", datatype: .plain(.int64List)))
      return type
    case .share: return RecordTypeDefinition(name: rawValue)
    }
  }

  /// A field that the type has without its definition.
  package func field(named name: String) -> FieldDefinition? {
    guard self == .share, let type = Self.fieldsOfShares[name] else { return nil }
    return FieldDefinition(name: name, datatype: .plain(type))
  }

  /// What clients tell of a share to those who are invited.
  private static let fieldsOfShares: [String: FieldType] = [
    "cloudkit.title": .string, "cloudkit.type": .string, "cloudkit.thumbnailImageData": .bytes,
  ]
}
