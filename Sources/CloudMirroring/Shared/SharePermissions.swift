import MirrorLedger
import ObjectRows
import Synchronization

/// The objects of a store that the user may only read.
///
/// They are read once after each change, so that a program can ask for each cell of a list.
final class SharePermissions: Sendable {
  private let known = Mutex<Set<RowKey>?>(nil)

  /// Drops the cached objects after a share, or the objects in it, changed.
  func forget() { known.withLock { $0 = nil } }

  /// Whether an object is in a zone that the user may only read.
  func isReadOnly(_ object: RowKey, in ledger: Ledger) -> Bool {
    known.withLock { known in
      if let known { return known.contains(object) }
      // An unreadable store is reported elsewhere.
      let found = (try? ledger.sharedZones.readOnlyObjects()) ?? []
      known = found
      return found.contains(object)
    }
  }
}
