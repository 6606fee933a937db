import ManagedObjectModel
import ManagedObjects
import MirrorLedger
import MirrorModel
import ObjectRows

extension NSPersistentCloudKitContainer {
  /// A limit on the relationships that sharing follows.
  ///
  /// Parhelion's addition. Related objects belong to one share, so a scope cuts nothing off: it
  /// says what must not be shared. If an object inside is related to one beyond the scope, sharing
  /// fails with an error that names both. Remove the relationship or copy the object, save, and
  /// share again.
  ///
  /// ```swift
  /// // Shares a photo with its tags, if no other photo has one of them.
  /// let scope = SharingScope(excludingRelationships: ["Tag": ["photos"]])
  /// let obstacles = try container.sharePreview(of: [photo], within: scope)
  ///   .filter(\.isBeyondScope)
  /// ```
  public struct SharingScope: Hashable, Sendable {
    /// Everything that can be reached.
    public static let everything = SharingScope()

    /// The names of excluded entities: objects of these are not shared.
    ///
    /// A name excludes the subentities, too.
    public var excludedEntityNames: Set<String>
    /// The names of relationships that are not followed, by the name of the entity that has them.
    ///
    /// A relationship is followed in the other direction unless its inverse is named, too.
    public var excludedRelationshipNames: [String: Set<String>]

    /// Creates a scope that excludes entities and relationships.
    public init(
      excludingEntities entityNames: Set<String> = [],
      excludingRelationships relationshipNames: [String: Set<String>] = [:]
    ) {
      (excludedEntityNames, excludedRelationshipNames) = (entityNames, relationshipNames)
    }

    /// The scope as the ledger takes it.
    ///
    /// - Throws: An error for a name that the model does not have, which would exclude nothing.
    func limit(of layouts: ModelLayouts) throws -> SharingLimit {
      for name in excludedEntityNames.union(excludedRelationshipNames.keys).sorted() {
        let entity = layouts.layouts.lazy.map(\.entity).first { $0.name == name }
        guard let entity else { throw Self.unknown("entity \(name)") }
        for relationship in (excludedRelationshipNames[name] ?? []).sorted()
        where entity.relationshipsByName[relationship] == nil {
          throw Self.unknown("relationship \(name).\(relationship)")
        }
      }
      return SharingLimit(
        entities: excludedEntityNames, relationships: excludedRelationshipNames)
    }

    private static func unknown(_ what: String) -> any Error {
      MirrorError(
        .notMirrored, "The scope of sharing excludes the \(what), which the model does not have."
      ).sharing
    }
  }
}
