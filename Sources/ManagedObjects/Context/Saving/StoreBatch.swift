import ManagedObjectModel
import ObjectRows

/// The objects that one save brings to one store.
struct StoreBatch {
  let open: OpenStore
  var inserted: [NSManagedObject] = []
  var updated: [NSManagedObject] = []
  var deleted: [NSManagedObject] = []

  /// The changed objects of a context by store, stores in the order of their addition.
  static func batches(of context: NSManagedObjectContext) throws -> [StoreBatch] {
    guard let coordinator = context.storedCoordinator else { return [] }
    var batches = coordinator.openStores.map { StoreBatch(open: $0) }
    precondition(
      !batches.isEmpty,
      "This NSPersistentStoreCoordinator has no persistent stores: it cannot perform a save operation. Add a store first."
    )
    var last = 0
    var routing = StoreRouting(context)
    for object in context.changes.objects {
      let number = routing.storeNumber(of: object)
      if batches[last].open.number != number {
        guard let found = batches.firstIndex(where: { $0.open.number == number }) else {
          throw SaveError.noStore(for: object)
        }
        last = found
      }
      batches[last].add(object)
    }
    return batches.filter { !$0.isEmpty }
  }

  private var isEmpty: Bool { inserted.isEmpty && updated.isEmpty && deleted.isEmpty }

  private mutating func add(_ object: NSManagedObject) {
    switch object.flags.change {
    case .insertion: inserted.append(object)
    case .update: updated.append(object)
    case .deletion: deleted.append(object)
    case nil: break
    }
  }

  // MARK: After the save

  /// Makes the objects clean ones, whose rows lie on new pages that everybody shares from now on.
  func becomeClean(
    _ receipt: StoreSaveReceipt, _ plans: SavePlans, in context: NSManagedObjectContext, _ saved: inout SavedObjects
  ) {
    var writer = SavedPageWriter(plans: plans, inserted, updated)
    for object in inserted {
      let (row, page) = writer.write(object, version: 1)
      context.becomeClean(object, row, page)
    }
    for object in updated {
      guard object.flags.contains(.written) else {
        context.becomeCleanUnchanged(object)
        continue
      }
      let (row, page) = writer.write(object, version: version(of: object, receipt))
      context.becomeClean(object, row, page)
    }
    writer.note(in: open)
    saved.add(self)
  }

  /// Gives locked objects, which were written without changes, the versions that their rows have now.
  func takeOverVersions(of locked: [NSManagedObject], _ receipt: StoreSaveReceipt, _ plans: SavePlans) {
    guard !locked.isEmpty else { return }
    var writer = SavedPageWriter(plans: plans, locked)
    for object in locked {
      let (row, page) = writer.write(object, version: version(of: object, receipt))
      object.didSave(as: row, on: page)
    }
    writer.note(in: open)
  }

  /// The same where there was nothing to write.
  func becomeClean(without plans: SavePlans, in context: NSManagedObjectContext, _ saved: inout SavedObjects) {
    for object in updated { context.becomeCleanUnchanged(object) }
    saved.updated += updated
  }

  private func version(of object: NSManagedObject, _ receipt: StoreSaveReceipt) -> Int64 {
    if let expected = object.expectedVersion { return expected + 1 }
    return receipt.versions[RowKey(key: object.key, layoutIndex: Int32(object.layout.index))] ?? 1
  }
}

extension NSManagedObjectContext {
  func becomeClean(_ object: NSManagedObject, _ row: RowReference, _ page: RowPage) {
    changes.setFlags(object.flags.subtracting([.inserted, .updated, .unsaved, .overwriting]), of: object)
    object.didSave(as: row, on: page)
  }

  /// Makes an object clean whose changes cancelled each other out.
  func becomeCleanUnchanged(_ object: NSManagedObject) {
    changes.setFlags(object.flags.subtracting([.updated, .overwriting]), of: object)
    guard let committed = object.state?.committed else { return }
    object.didSave(as: committed.row, on: committed.page)
  }
}

/// Puts saved rows on pages.
struct SavedPageWriter {
  private static let rowsOnPage = 256

  private let plans: SavePlans
  /// By the index of the layout.
  private var remaining: [Int]
  private var open: [RowPage?]
  private var pages: [(page: RowPage, isShared: Bool)] = []

  init(plans: SavePlans, _ lists: [NSManagedObject]...) {
    self.plans = plans
    remaining = Array(repeating: 0, count: plans.count)
    open = Array(repeating: nil, count: plans.count)
    for list in lists { for object in list { remaining[object.layout.index] += 1 } }
  }

  /// A copy of a row, with the version that the store gave it and without what no store keeps.
  mutating func write(_ object: NSManagedObject, version: Int64) -> (row: RowReference, page: RowPage) {
    let layout = object.layout
    let page = page(for: layout)
    let copy = page.appendRow(copying: object.row)
    copy.key = object.key
    copy.version = version
    for ordinal in plans.plan(of: layout).transient { layout.setNil(layout.slots[ordinal], in: copy) }
    return (copy, page)
  }

  /// Lets everybody find the rows, but for those of which the store computes values.
  func note(in open: OpenStore) {
    for written in pages where written.isShared { open.noteSaved(written.page) }
  }

  private mutating func page(for layout: RowLayout) -> RowPage {
    if let page = open[layout.index], !page.isFull { return page }
    let wanted = min(Self.rowsOnPage, max(1, remaining[layout.index]))
    remaining[layout.index] -= wanted
    let page = RowPage(layout: layout, capacity: wanted)
    open[layout.index] = page
    pages.append((page, !plans.plan(of: layout).hasDerivedAttributes))
    return page
  }
}
