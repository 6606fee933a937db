import MirrorModel
import ObjectRows

/// What is sent to an account that has no room: whatever makes some.
///
/// The server reckons with the account as it is behind a batch, so a batch goes that makes it no
/// larger. A pass ends at the first batch that has no room; then what comes behind it is tried save
/// by save, in order and without what is new: deletions, and what has become smaller. What one save
/// has changed stays together.
extension Exporter {
  /// Goes once through the outbox, and again where what waits behind others has made room for them.
  func passMakingRoom(_ limits: ExportLimits, _ outcome: inout MirrorOutcome) async throws
    -> ExportPass
  {
    while true {
      do {
        return try await sendPass(limits, &outcome)
      } catch let fault as MirrorError {
        guard fault.kind == .quotaExceeded, try await makeRoom(limits, &outcome) else {
          throw fault
        }
      }
    }
  }

  /// Sends what makes room.
  ///
  /// - Returns: Whether the server has taken something.
  private func makeRoom(_ limits: ExportLimits, _ outcome: inout MirrorOutcome) async throws -> Bool
  {
    var search = RoomSearch()
    var found = MirrorOutcome()
    defer { outcome.hasMoved = outcome.hasMoved || found.hasMoved }
    try await forEachExportPage(limits, of: RoomSearch.candidates) { exportPage in
      for batch in exportPage.groups(limits)
      where search.tries(batch, concernsOthers: site.concernsOthers) {
        do {
          _ = try await send(batch, &found)
        } catch let fault as MirrorError {
          guard fault.kind == .quotaExceeded else { throw fault }
          search.note(refused: batch)
        }
      }
    }
    return found.hasMoved
  }
}

/// What is tried of what may make room, in the order of the outbox.
struct RoomSearch {
  /// How many batches without deletions had no room.
  private var refusedChanges = 0
  /// Whether some object is on the server as it was before a change that waits.
  private var isBehind = false

  /// The entries that may make room: those of saves that did more than make something.
  static func candidates(_ entries: [OutboxEntry]) -> [OutboxEntry] {
    let groups = Set(entries.filter { $0.kind != .insertion }.map(\.group))
    return entries.filter { groups.contains($0.group) }
  }

  /// Whether a batch is to be tried.
  ///
  /// A deletion that concerns others waits for the changes before it: what they have moved away
  /// from it would go with it on other devices. And where change after change has no room,
  /// deletions alone are tried.
  ///
  /// - Parameter concernsOthers: Whether the deletion of an object may do something to others.
  mutating func tries(_ batch: [ExportPage.Item], concernsOthers: (RowKey) -> Bool) -> Bool {
    let deletions = batch.filter { $0.entry.kind == .deletion }
    let isTried =
      deletions.isEmpty
      ? refusedChanges < MirrorLimits.changesTriedForRoom
      : !isBehind || !deletions.contains { $0.entry.subject.object.map(concernsOthers) ?? false }
    if !isTried { noteLeft(batch) }
    return isTried
  }

  /// Notes that a batch had no room.
  mutating func note(refused batch: [ExportPage.Item]) {
    noteLeft(batch)
    if !batch.contains(where: { $0.entry.kind == .deletion }) { refusedChanges += 1 }
  }

  private mutating func noteLeft(_ batch: [ExportPage.Item]) {
    isBehind = isBehind || batch.contains { $0.entry.kind == .update }
  }
}
