/// The statements that run for one change, one record or one request, whose cost must not grow with
/// the store.
///
/// A test asks SQLite for the plan of each.
package enum LedgerStatements {
  package static let all: [String] =
    [
      OutboxFolding.insertion, OutboxFolding.update, OutboxFolding.forgetting,
      OutboxFolding.deletion,
      OutboxFolding.pairInsertion, OutboxFolding.forgettingPair, OutboxFolding.pairDeletion,
      OutboxFolding.forgettingPairs(of: "first"), OutboxFolding.forgettingPairs(of: "second"),
      OutboxFolding.pairDeletions(of: "first"), OutboxFolding.pairDeletions(of: "second"),
      OutboxReader.objects, OutboxReader.pairs, LedgerWriter.object, LedgerWriter.pair,
      LedgerWriter.settlingAll,
      RecordQueries.place, RecordQueries.objectByKey, RecordQueries.objectByName,
      RecordQueries.pairByKey, RecordQueries.pairByName,
      Ledger.tagByName,
      RecordQueries.pairPlaces[0], RecordQueries.pairPlaces[1],
      SystemFields.formerDigests,
      DuplicateTable.anyUnsent, DuplicateTable.ofWinner, DuplicateTable.ofLoser,
      DuplicateTable.promising,
      DuplicateTable.acknowledging,
      DuplicateTable.loser,
      Ledger.objectCounts, Ledger.pairCount, OutboxFolding.groupOfObject, OutboxFolding.groupOfPair,
    ] + OutboxFolding.groupMembers + OutboxFolding.groupMoves + DeferredTable.all
    + Ledger.anyPending
    + ReaderTable.told + ReaderTable.noting + LedgerTables.latestGroups + SentStatements.objects.all
    + SentStatements.pairs.all
}
