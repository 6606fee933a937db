import ObjectRows
import Synchronization

/// The contexts that are notified of saves by a coordinator's contexts or by a parent.
package final class ContextObservers: Sendable {
  private struct Member {
    weak var context: NSManagedObjectContext?
  }

  private let members = Mutex<[Member]>([])

  package init() {}

  func add(_ context: NSManagedObjectContext) {
    members.withLock { members in
      members.removeAll { $0.context == nil || $0.context === context }
      members.append(Member(context: context))
    }
  }

  func remove(_ context: NSManagedObjectContext) {
    members.withLock { $0.removeAll { $0.context == nil || $0.context === context } }
  }

  /// The contexts except one, in the order in which they were added.
  func contexts(but saver: NSManagedObjectContext?) -> [NSManagedObjectContext] {
    members.withLock { $0.compactMap(\.context) }.filter { $0 !== saver }
  }
}

/// The keys of saved objects.
struct SavedChanges: Sendable {
  struct Row: Sendable {
    let key: Int64
    let layout: RowLayout
    let storeNumber: UInt16
  }

  var inserted: [Row] = []
  var updated: [Row] = []
  var deleted: [Row] = []
  /// Pages with the new rows, which keep them in memory until contexts look for them.
  var pages: [RowPage] = []
  /// Whether this is everything that was saved together.
  ///
  /// Objects that referenced a deleted object are then among the updated ones.
  var isWholeSave = false

  init() {}

  init(_ saved: SavedObjects) {
    inserted = saved.inserted.map(Row.init)
    updated = saved.updated.map(Row.init)
    deleted = saved.deleted.map(Row.init)
    isWholeSave = true
    for object in saved.inserted + saved.updated {
      guard let page = object.sharedRow?.page, page !== pages.last else { continue }
      pages.append(page)
    }
  }

  var isEmpty: Bool { inserted.isEmpty && updated.isEmpty && deleted.isEmpty }
}

extension SavedChanges.Row {
  init(_ object: NSManagedObject) {
    self.init(key: object.key, layout: object.layout, storeNumber: object.storeNumber)
  }
}

/// Whether a context merges the saves of others automatically.
struct AutomaticMerging {
  var isOn = false
}

extension NSManagedObjectContext {
  func setAutomaticMerging(_ isOn: Bool) {
    guard merging.isOn != isOn else { return }
    merging.isOn = isOn
    if isOn { startObserving() } else { stopObserving() }
  }

  func startObserving() {
    guard merging.isOn else { return }
    storedParent?.contextObservers.add(self)
    storedCoordinator?.contextObservers.add(self)
  }

  func stopObserving() {
    storedParent?.contextObservers.remove(self)
    storedCoordinator?.contextObservers.remove(self)
  }

  /// Notifies the context's other children of a child's save.
  func announce(_ saved: SavedObjects, by saver: NSManagedObjectContext) {
    contextObservers.announce(saved, by: saver)
  }
}

extension NSPersistentStoreCoordinator {
  /// Notifies the coordinator's other contexts, and the saver's children, of a save.
  func announce(_ saved: SavedObjects, by saver: NSManagedObjectContext) {
    contextObservers.announce(saved, by: saver)
    saver.contextObservers.announce(saved, by: saver)
  }
}

extension ContextObservers {
  fileprivate func announce(_ saved: SavedObjects, by saver: NSManagedObjectContext) {
    let contexts = contexts(but: saver)
    guard !contexts.isEmpty else { return }
    let changes = SavedChanges(saved)
    guard !changes.isEmpty else { return }
    for context in contexts { context.performLater { context.merge(changes) } }
  }
}
