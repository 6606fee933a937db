import SQLiteDriver

/// The statements for one change, record or request, whose cost must not grow with the store.
///
/// A test checks SQLite's query plan of each.
package enum LedgerStatements {
  package static let all: [String] =
    [
      OutboxCoalescer.insertion, OutboxCoalescer.update, OutboxCoalescer.forgetting,
      OutboxCoalescer.deletion, OutboxCoalescer.pairInsertion, OutboxCoalescer.forgettingPair,
      OutboxCoalescer.pairDeletion, OutboxCoalescer.forgettingPairs(of: "first"),
      OutboxCoalescer.forgettingPairs(of: "second"), OutboxCoalescer.pairDeletions(of: "first"),
      OutboxCoalescer.pairDeletions(of: "second"), OutboxReader.objects, OutboxReader.pairs,
      LedgerWriter.object, LedgerWriter.pair, LedgerWriter.settlingAll, RecordQueries.place,
      RecordQueries.objectByKey, RecordQueries.objectByName, RecordQueries.pairByKey,
      RecordQueries.pairByName, Ledger.tagByName, Connection.tokenOfZone,
      Connection.anyStateOfZones, ZoneNumbers.byIdentifier, ZoneIdentifiers.byNumber,
      RecordQueries.pairPlaces[0], RecordQueries.pairPlaces[1], SystemFields.formerDigests,
      DuplicateTable.anyUnsent, DuplicateTable.ofWinner, DuplicateTable.ofLoser,
      DuplicateTable.pendingWinners, DuplicateTable.acknowledging, DuplicateTable.loser,
      Outbox.objectCounts, Outbox.pairCount, OutboxCoalescer.groupOfObject,
      OutboxCoalescer.groupOfPair,
    ] + OutboxCoalescer.groupMembers + OutboxCoalescer.groupMoves + DeferredTable.all
    + MoveFrontier.all + [ZoneCache.ofObject, ZoneCache.reach, Outbox.anyPending]
    + ReaderTable.received + ReaderTable.noting
    + [LedgerTables.latestGroup, LedgerTables.noted, LedgerTables.keepingNoted]
    + SentStatements.objects.all + SentStatements.pairs.all
}
