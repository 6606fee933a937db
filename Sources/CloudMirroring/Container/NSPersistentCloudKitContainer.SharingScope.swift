import ManagedObjectModel
import ManagedObjects
import MirrorLedger
import MirrorModel
import ObjectRows

extension NSPersistentCloudKitContainer {
  /// A limit on the relationships that sharing follows.
  ///
  /// Parhelion's addition. Related objects belong to one share, so a scope does not divide them: it
  /// names what must not be shared. If an object in the scope is related to one beyond it, sharing
  /// fails with an error that names both. Remove the relationship or copy the object, save, and
  /// share again.
  ///
  /// ```swift
  /// // Shares a photo with its tags, if no other photo has one of them.
  /// let scope = SharingScope(excludingRelationships: ["Tag": ["photos"]])
  /// let beyondScope = try container.sharePreview(of: [photo], within: scope)
  ///   .filter(\.isBeyondScope)
  /// ```
  public struct SharingScope: Hashable, Sendable {
    /// A scope that excludes nothing.
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

    /// The scope in the form of the ledger.
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
      MirrorError.notMirrored(
        "The scope of sharing excludes the \(what), which the model does not have.",
        remedy: "Correct the names in the scope.")
    }
  }
}
