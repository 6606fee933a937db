import Foundation
import ManagedObjectModel
import ObjectRows

/// The parameters for opening a store.
struct StorePlan {
  let url: URL?
  let model: NSManagedObjectModel
  let layouts: ModelLayouts
  let configuration: String?
  let options: GivenOptions
  let dependencies: StackDependencies
  /// The relationships without an inverse that get a join table if a SQLite store is new.
  let joinedRelationships: Set<ObjectIdentifier>
  /// The coordinator that adds the store.
  weak var coordinator: NSPersistentStoreCoordinator?
}
