import CloudKitClient
import CloudRecords
import MirrorLedger
import MirrorModel
import SQLiteDriver

/// Records that stand for somebody unheard of wait for the end of a feed that comes in several
/// parts (`Succession`): who deletes one of them has to know what was related to the one who went,
/// which may come behind.
///
///     a part tells one ──▶ its name is noted with the part's place ──▶ the end of the feed: it is fetched by its name, and taken over
///
/// So the place moves on whatever waits, and memory has names at most. What was deleted meanwhile
/// is not there any more: the feed tells of that, too.
extension MirrorEngine {
  /// Takes records out of what is told, and notes their names.
  ///
  /// - Returns: Whether there are any.
  func holdSuccessors(_ told: inout ImportPage) throws -> Bool {
    let waiting = try unheardOf(told.records)
    guard !waiting.isEmpty else { return false }
    told = told.saying(
      told.records.filter { !waiting.contains($0.recordID) }, deleted: told.deleted)
    for recordID in waiting { told.state[.successor(recordID)] = .integer(1) }
    return true
  }

  /// Takes over the records that have waited for the end of the feed.
  ///
  /// - Returns: How many records were changed here.
  func takeInSuccessors() async throws -> Int {
    var count = 0
    while true {
      let names = try ledger.waitingSuccessors(limit: MirrorLimits.recordsInPage)
      guard !names.isEmpty else { return count }
      try Task.checkCancellation()
      count += try await askingAgain {
        let asked = try ledger.moment()
        let found = try await databaseOfNews.records(for: names).filter { !$0.value.isUnknown }
        var told = ImportPage(try FoundRecords(found), among: try ledger.unreadable().keys)
        told.asked = asked
        for name in names { told.state[.successor(name)] = .null }
        sweep.note(told)
        return try await takeIn(told)
      }
    }
  }
}

extension LedgerStateKey {
  /// That a record waits for the end of the feed, since it stands for somebody unheard of.
  static func successor(_ recordID: CKRecord.ID) -> Self { successor(RecordIdentifier(recordID)) }
}

extension Ledger {
  /// Some of the records that wait for the end of the feed.
  func waitingSuccessors(limit: Int) throws -> [CKRecord.ID] {
    try successorRecords(limit: limit).map(\.recordID)
  }
}
