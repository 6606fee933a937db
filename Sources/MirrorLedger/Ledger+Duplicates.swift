package import CloudRecords
package import MirrorModel
package import ObjectRows
import SQLiteDriver

/// Merged duplicates: a winner's record names the losers that it absorbed (`PH_standsFor`).
extension Ledger {
  /// Returns the duplicates that records absorbed, in the order of their discovery.
  package func mergedDuplicates(of winners: some Sequence<RecordIdentifier>) throws
    -> [RecordIdentifier: [MergedDuplicate]]
  {
    try read { connection in
      guard try connection.number(DuplicateTable.any) != nil else { return [:] }
      let table = DuplicateTable(connection)
      var zones = ZoneNumbers(connection)
      var found: [RecordIdentifier: [MergedDuplicate]] = [:]
      for winner in winners {
        let mergedDuplicates = try table.mergedDuplicates(of: winner, &zones)
        if !mergedDuplicates.isEmpty { found[winner] = mergedDuplicates }
      }
      return found
    }
  }

  /// Returns the records that absorbed one, in the order of their discovery.
  package func winners(of loser: RecordIdentifier) throws -> [RecordIdentifier] {
    try read { connection in
      var zones = ZoneNumbers(connection)
      return try DuplicateTable(connection).winners(
        of: loser, DuplicateTable.ofLoser, &zones)
    }
  }

  /// Returns the pending winners whose records on the server do not name the losers yet, by loser.
  package func unannouncedWinners(for loser: [RecordIdentifier]) throws -> [RecordIdentifier:
    [RecordIdentifier]]
  {
    guard !loser.isEmpty else { return [:] }
    return try read { connection in
      guard try connection.number(DuplicateTable.anyUnsent) != nil else { return [:] }
      let table = DuplicateTable(connection)
      var zones = ZoneNumbers(connection)
      var found: [RecordIdentifier: [RecordIdentifier]] = [:]
      for record in loser {
        let winners = try table.winners(of: record, DuplicateTable.pendingWinners, &zones)
        if !winners.isEmpty { found[record] = winners }
      }
      return found
    }
  }

  /// Enqueues winners, so that their records name the losers.
  ///
  /// - Parameter announcements: The duplicates, each with its winner and the ordinals of the
  ///   attributes that must be unique.
  package func announce(
    _ announcements: [(duplicate: MergedDuplicate, winner: RowKey, attributes: OrdinalSet)]
  )
    throws
  {
    guard !announcements.isEmpty else { return }
    try write { connection in
      try recorder.catchUp(with: store, on: connection)
      let table = DuplicateTable(connection)
      var zones = ZoneNumbers(connection)
      var coalescer = recorder.makeCoalescer(on: connection)
      let group = try connection.noted()
      for announce in announcements {
        try table.note(announce.duplicate, &zones)
        let known = try table.mergedDuplicates(of: announce.duplicate.winner, &zones)
        // Another device has sent this merge already.
        guard known.unsent.contains(where: { $0.loser == announce.duplicate.loser }) else {
          continue
        }
        try coalescer.unite(with: announce.winner, into: group)
        try coalescer.enqueueUnchanged(announce.winner, announce.attributes, group: group)
      }
    }
  }
}
