import ManagedObjectModel
import ObjectRows

/// The objects that one save writes to one store.
struct StoreBatch {
  let open: OpenStore
  private(set) var inserted: ContiguousArray<NSManagedObject> = []
  private(set) var updated: ContiguousArray<NSManagedObject> = []
  private(set) var deleted: ContiguousArray<NSManagedObject> = []

  /// The changed objects of a context by store, in the order in which the stores were added.
  static func batches(of context: NSManagedObjectContext) throws -> [StoreBatch] {
    guard let coordinator = context.storedCoordinator else { return [] }
    var batches = coordinator.openStores.map { StoreBatch(open: $0) }
    precondition(
      !batches.isEmpty,
      "This NSPersistentStoreCoordinator has no persistent stores: it cannot perform a save operation. Add a store first."
    )
    var routing = StoreRouting(context)
    let objects = context.changes.objects
    if context.locked.objects.isEmpty, batches[0].take(objects, ifAllBelongHere: &routing) {
      return [batches[0]]
    }
    var last = 0
    var lastNumber = batches[0].open.number
    try objects.forEachHeld { object in
      let number = routing.storeNumber(of: object)
      if lastNumber != number {
        guard let found = batches.firstIndex(where: { $0.open.number == number }) else {
          throw SaveError.noStore(for: object)
        }
        (last, lastNumber) = (found, number)
      }
      batches[last].add(object)
    }
    return batches.filter { !$0.isEmpty || !context.lockedRows(in: $0.open).isEmpty }
  }

  private var isEmpty: Bool { inserted.isEmpty && updated.isEmpty && deleted.isEmpty }

  /// Takes a whole list without copying if all objects are of this store and have the same kind of
  /// change, as in most saves.
  private mutating func take(
    _ objects: ContiguousArray<NSManagedObject>, ifAllBelongHere routing: inout StoreRouting
  ) -> Bool {
    guard let change = objects.first?.flags.change,
      objects.allHeldSatisfy({
        $0.flags.change == change && routing.storeNumber(of: $0) == open.number
      })
    else { return false }
    switch change {
    case .insertion: inserted = objects
    case .update: updated = objects
    case .deletion: deleted = objects
    }
    return true
  }

  private mutating func add(_ object: NSManagedObject) {
    switch object.flags.change {
    case .insertion: inserted.append(object)
    case .update: updated.append(object)
    case .deletion: deleted.append(object)
    case nil: break
    }
  }

  // MARK: After the save

  /// Makes the objects unchanged, with their rows on new shared pages.
  func becomeClean(
    _ receipt: StoreSaveReceipt, _ plans: SavePlans, in context: NSManagedObjectContext,
    _ saved: inout SavedObjects
  ) {
    var writer = SavedPageWriter(plans: plans, inserted, updated)
    inserted.forEachHeld { context.becomeClean($0, version: 1, &writer) }
    updated.forEachHeld { object in
      if object.flags.contains(.written) {
        context.becomeClean(object, version: version(of: object, receipt), &writer)
      } else {
        context.becomeCleanUnchanged(object)
      }
    }
    writer.record(in: open)
    saved.add(self)
  }

  /// Updates the versions of locked objects, which were written without changes.
  func takeOverVersions(
    of locked: [NSManagedObject], _ receipt: StoreSaveReceipt, _ plans: SavePlans
  ) {
    guard !locked.isEmpty else { return }
    var writer = SavedPageWriter(plans: plans, ContiguousArray(locked))
    locked.forEachHeld { writer.write($0, version: version(of: $0, receipt)) }
    writer.record(in: open)
  }

  /// Makes the objects unchanged if there was nothing to write.
  func becomeClean(in context: NSManagedObjectContext, _ saved: inout SavedObjects) {
    for object in updated { context.becomeCleanUnchanged(object) }
    saved.updated += updated
  }

  private func version(of object: NSManagedObject, _ receipt: StoreSaveReceipt) -> Int64 {
    if let expected = object.expectedVersion { return expected &+ 1 }
    return receipt.versions[RowKey(key: object.key, layoutIndex: Int32(object.layout.index))] ?? 1
  }
}

extension NSManagedObjectContext {
  /// Makes an object unchanged, with its row on a page of the writer.
  @inline(__always)
  func becomeClean(_ object: NSManagedObject, version: Int64, _ writer: inout SavedPageWriter) {
    changes.setFlags(
      object.flags.subtracting([.inserted, .updated, .unsaved, .overwriting]), of: object)
    writer.write(object, version: version)
  }

  /// Marks an object as unchanged, after its changes have cancelled each other out.
  func becomeCleanUnchanged(_ object: NSManagedObject) {
    changes.setFlags(object.flags.subtracting([.updated, .overwriting]), of: object)
    guard let committed = object.state?.committed else { return }
    object.didSave(as: committed.row, on: committed.page)
  }
}
