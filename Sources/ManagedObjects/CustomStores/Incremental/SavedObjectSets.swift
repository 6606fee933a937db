import ManagedObjectModel
import ObjectRows

/// The objects of a save, found in the context by the keys of the changes.
struct SavedObjectSets {
  private(set) var inserted: Set<NSManagedObject> = []
  private(set) var updated: Set<NSManagedObject> = []
  private(set) var deleted: Set<NSManagedObject> = []
  private(set) var locked: Set<NSManagedObject> = []

  init(_ changes: StoreChanges, _ identity: StoreIdentity, in context: NSManagedObjectContext) {
    func object(_ key: RowKey) -> NSManagedObject? {
      context.registeredObject(key.key, context.layouts[key.layoutIndex], in: identity)
    }
    inserted = Set(changes.inserted.compactMap { object($0.rowKey) })
    deleted = Set(changes.deleted.compactMap { object($0.rowKey) })
    for change in changes.updated {
      guard let found = object(change.rowKey) else { continue }
      // A row without changed properties is only compared with the store.
      if change.changed.isEmpty { locked.insert(found) } else { updated.insert(found) }
    }
  }

  /// The request with which a store saves them.
  var request: NSSaveChangesRequest {
    NSSaveChangesRequest(
      inserted: inserted, updated: updated, deleted: deleted, locked: locked.isEmpty ? nil : locked)
  }
}
