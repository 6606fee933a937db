import ObjectRows
import Synchronization

/// The contexts that hear of the saves of a coordinator's contexts, or of a parent.
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

  /// The contexts but one, in the order in which they came.
  func contexts(but saver: NSManagedObjectContext?) -> [NSManagedObjectContext] {
    members.withLock { $0.compactMap(\.context) }.filter { $0 !== saver }
  }
}

/// What was saved somewhere, by keys.
struct SavedChanges: Sendable {
  struct Row: Sendable {
    let key: Int64
    let layout: RowLayout
    let storeNumber: UInt16
  }

  var inserted: [Row] = []
  var updated: [Row] = []
  var deleted: [Row] = []
  /// Pages with the new rows, so that they are still in memory when contexts look for them.
  var pages: [RowPage] = []
  /// Whether everything is here that was saved together: what led to a deleted object is among what
  /// was updated then.
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

/// Whether a context takes over by itself what others save.
struct AutomaticMerging {
  var isOn = false
}

extension NSManagedObjectContext {
  func setAutomaticMerging(_ isOn: Bool) {
    guard merging.isOn != isOn else { return }
    merging.isOn = isOn
    if isOn { joinFamily() } else { leaveFamily() }
  }

  func joinFamily() {
    guard merging.isOn else { return }
    storedParent?.audience.add(self)
    storedCoordinator?.audience.add(self)
  }

  func leaveFamily() {
    storedParent?.audience.remove(self)
    storedCoordinator?.audience.remove(self)
  }

  /// Tells the context's children what it saved.
  func announce(_ saved: SavedObjects, by saver: NSManagedObjectContext) {
    audience.announce(saved, by: saver)
  }
}

extension NSPersistentStoreCoordinator {
  /// Tells the coordinator's other contexts what one of them saved.
  func announce(_ saved: SavedObjects, by saver: NSManagedObjectContext) {
    audience.announce(saved, by: saver)
    saver.audience.announce(saved, by: saver)
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
