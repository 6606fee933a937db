import ObjectRows

/// The keys that one save gives to new objects.
///
/// If the save fails, the objects return to their temporary keys, by which others may know them.
/// Child contexts learn the keys after the save.
struct AssignedKeys {
  private let context: NSManagedObjectContext
  private let assignedStores: [Int64: UInt16]
  private var objects: ContiguousArray<NSManagedObject> = []
  /// The temporary keys of the objects.
  private var former: ContiguousArray<Int64> = []

  init(_ context: NSManagedObjectContext) {
    self.context = context
    assignedStores = context.assignedStores
  }

  /// Gives keys of a store to objects, with one call to the store.
  mutating func assign(to new: ContiguousArray<NSManagedObject>, in open: OpenStore) throws {
    var keys: ContiguousArray<Int64> = []
    keys.reserveCapacity(new.count)
    new.forEachHeld { keys.append($0.key) }
    try context.moveToKeys(of: open, new, forSave: true)
    if objects.isEmpty {
      (objects, former) = (new, keys)
    } else {
      (objects, former) = (objects + new, former + keys)
    }
  }

  /// Passes the keys of saved objects to child contexts.
  func announce() {
    guard context.aliases.isKept else { return }
    for (object, key) in zip(objects, former) where !object.flags.contains(.unsaved) {
      context.recordAlias(of: object, temporary: key)
    }
  }

  /// Restores the temporary keys of objects that were not saved.
  func revert() {
    var unsaved: ContiguousArray<NSManagedObject> = []
    var keys: ContiguousArray<Int64> = []
    for (object, key) in zip(objects, former)
    where object.flags.contains(.unsaved) && object.context === context {
      unsaved.append(object)
      keys.append(key)
      context.assignedStores[key] = assignedStores[key]
    }
    context.registry.move(
      unsaved, to: keys, storeNumber: NSManagedObject.noStore, counts: [], areOfOneStore: false)
    for object in unsaved { object.row.key = object.key }
    for object in context.changes.objects { object.renewKeysOfDestinations() }
  }
}

extension NSManagedObject {
  /// Updates the keys of to-one destinations in the object's own row.
  fileprivate final func renewKeysOfDestinations() {
    guard let state, state.ownsRow else { return }
    for (ordinal, destination) in state.destinations {
      let slot = layout.slots[ordinal]
      guard slot.kind == .toOne, !slot.isNull(in: row) else { continue }
      slot.store(
        ToOneValue(key: destination.key, layoutIndex: Int32(destination.layout.index)), in: row)
    }
  }
}
