/// Decides which caller syncs commits that did not wait for the disk.
///
///     committed ──settle──▶ on the disk already?  yes ─▶ done
///                           is a save running?    yes ─▶ wait for its sync ──▶ done, or sync
///                           else                         sync
///
/// Commits that did not wait for the disk are counted. A caller names the count that it needs on
/// the disk.
package struct SyncScheduler: Equatable {
  /// The next step of a caller that needs commits on the disk.
  package enum Action: Equatable {
    case done, wait, sync
  }

  /// The number of commits that did not wait for the disk.
  package private(set) var written = 0
  /// The number of these commits that are on the disk.
  package private(set) var synced = 0
  /// The number of saves that are running or queued; each syncs when it commits.
  package private(set) var savers = 0

  package init() {}

  package mutating func recordCommit() { written += 1 }

  /// Records that the commits up to a count are on the disk.
  package mutating func recordSync(_ count: Int) { synced = max(synced, count) }

  package mutating func beginSave() { savers += 1 }

  package mutating func endSave() {
    precondition(savers > 0, "A save ended that did not begin.")
    savers -= 1
  }

  /// The step that brings the commits up to a count to the disk.
  package func action(for count: Int) -> Action {
    if synced >= count { return .done }
    return savers > 0 ? .wait : .sync
  }
}
