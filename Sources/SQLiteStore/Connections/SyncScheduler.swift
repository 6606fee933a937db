/// Decides who brings to the disk what was committed without waiting for it.
///
///     committed ──settle──▶ on the disk already?          yes ─▶ done
///                           does somebody save meanwhile? yes ─▶ wait: the save's own sync covers it ──▶ done, or sync
///                           else                               sync
///
/// Commits that nobody waits for are counted. Whoever waits later names the count that was reached.
package struct SyncScheduler: Equatable {
  /// What is to be done by who wants something to be on the disk.
  package enum Action: Equatable {
    case done, wait, sync
  }

  /// How many commits nobody has waited for.
  package private(set) var written = 0
  /// How many of these are on the disk.
  package private(set) var synced = 0
  /// How many saves are being written, or wait for their turn: each syncs when it commits.
  package private(set) var savers = 0

  package init() {}

  package mutating func noteWritten() { written += 1 }

  /// Everything up to a count is on the disk.
  package mutating func noteSynced(_ count: Int) { synced = max(synced, count) }

  package mutating func beginSave() { savers += 1 }

  package mutating func endSave() {
    precondition(savers > 0, "A save ended that did not begin.")
    savers -= 1
  }

  /// What is to be done so that everything up to a count is on the disk.
  package func action(for count: Int) -> Action {
    if synced >= count { return .done }
    return savers > 0 ? .wait : .sync
  }
}
