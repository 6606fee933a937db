import CloudKitClient
import CloudRecords
import SQLiteDriver

extension LedgerStateKey {
  fileprivate static let successor = "successor."

  /// That a record waits for the end of the feed, since it stands for somebody unheard of.
  static func successor(_ recordID: CKRecord.ID) -> Self { Self(successor + recordID.recordName) }
}

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

extension Ledger {
  /// Some of the records that wait for the end of the feed.
  func waitingSuccessors(limit: Int) throws -> [CKRecord.ID] {
    try read { connection in
      var statement = try connection.prepare(Self.waitingSuccessors)
      try statement.bind(limit, at: 1)
      var found: [CKRecord.ID] = []
      while try statement.step() {
        let name = String(
          (statement.row.text(at: 0) ?? "").dropFirst(LedgerStateKey.successor.count))
        found.append(RecordIdentifier(recordName: name, zone: options.homeZone).recordID)
      }
      return found
    }
  }

  /// All names that begin with the prefix: those from it to the one that ends with the character
  /// behind the point.
  static let waitingSuccessors =
    "SELECT name FROM PHM_STATE WHERE name >= 'successor.' AND name < 'successor/' ORDER BY name LIMIT ?1"
}
