import MirrorModel
import ObjectRows

/// Exports to an account without free quota: only changes that free space.
///
/// The server computes the usage after a batch, and accepts a batch that does not increase it. A
/// pass ends at the first rejected batch. Then the later entries are tried save by save, in order
/// and without insertions: deletions, and objects that have become smaller. The changes of one save
/// stay together.
extension Exporter {
  /// Sends the outbox once, and again each time later entries have freed space.
  func passMakingRoom(_ limits: ExportLimits, _ outcome: inout MirrorOutcome) async throws
    -> ExportPass
  {
    while true {
      do {
        return try await sendPass(limits, &outcome)
      } catch let failure as MirrorError {
        guard failure.kind == .quotaExceeded, try await makeRoom(limits, &outcome) else {
          throw failure
        }
      }
    }
  }

  /// Sends entries that free space.
  ///
  /// - Returns: Whether the server accepted any.
  private func makeRoom(_ limits: ExportLimits, _ outcome: inout MirrorOutcome) async throws -> Bool
  {
    var search = RoomSearch()
    var found = MirrorOutcome()
    defer { outcome.hasMoved = outcome.hasMoved || found.hasMoved }
    try await forEachExportPage(limits, of: RoomSearch.candidates) { exportPage in
      for batch in exportPage.groups(limits)
      where search.tries(batch, concernsOthers: mirror.concernsOthers) {
        do {
          _ = try await send(batch, &found)
        } catch let failure as MirrorError {
          guard failure.kind == .quotaExceeded else { throw failure }
          search.note(refused: batch)
        }
      }
    }
    return found.hasMoved
  }
}

/// Chooses batches that may free space, in the order of the outbox.
struct RoomSearch {
  /// The number of rejected batches without deletions.
  private var refusedChanges = 0
  /// Whether an earlier update of an object was left out or rejected.
  private var isBehind = false

  /// Returns the entries that may free space: those of saves with more than insertions.
  static func candidates(_ entries: [OutboxEntry]) -> [OutboxEntry] {
    let groups = Set(entries.filter { $0.kind != .insertion }.map(\.group))
    return entries.filter { groups.contains($0.group) }
  }

  /// Whether to try a batch.
  ///
  /// A deletion that may affect other objects waits for the updates before it. Otherwise other
  /// devices would also delete the objects that these updates moved away. After several rejected
  /// batches without deletions, only batches with deletions are tried.
  ///
  /// - Parameter concernsOthers: Whether the deletion of an object may affect other objects.
  mutating func tries(_ batch: [ExportPage.Item], concernsOthers: (RowKey) -> Bool) -> Bool {
    let deletions = batch.filter { $0.entry.kind == .deletion }
    let isTried =
      deletions.isEmpty
      ? refusedChanges < MirrorLimits.changesTriedForRoom
      : !isBehind || !deletions.contains { $0.entry.subject.object.map(concernsOthers) ?? false }
    if !isTried { noteLeft(batch) }
    return isTried
  }

  /// Counts a batch that was rejected for lack of space.
  mutating func note(refused batch: [ExportPage.Item]) {
    noteLeft(batch)
    if !batch.contains(where: { $0.entry.kind == .deletion }) { refusedChanges += 1 }
  }

  private mutating func noteLeft(_ batch: [ExportPage.Item]) {
    isBehind = isBehind || batch.contains { $0.entry.kind == .update }
  }
}
