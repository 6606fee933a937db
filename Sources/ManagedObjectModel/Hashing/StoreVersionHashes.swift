package import Foundation

/// The version hashes in a store's metadata: the entities that the store was written with, and
/// their form.
package struct StoreVersionHashes: Equatable {
  /// The hash of each entity, by its name.
  package let hashesByEntityName: [String: Data]

  /// Reads the hashes from a store's metadata; nil if it has none.
  package init?(metadata: [String: Any]) {
    guard let hashes = metadata[NSStoreModelVersionHashesKey] as? [String: Data] else { return nil }
    hashesByEntityName = hashes
  }

  /// Whether the entities are exactly those that the store was written with.
  package func match(_ entities: [NSEntityDescription]) -> Bool {
    entities.count == hashesByEntityName.count && entities.allSatisfy(contain)
  }

  /// Whether the store was written with this entity in this form.
  package func contain(_ entity: NSEntityDescription) -> Bool {
    entity.name.map { hashesByEntityName[$0] == entity.versionHash } ?? false
  }
}
