import Foundation
import ManagedObjectModel
import ObjectRows
import PredicateLanguage
import SQLiteDriver
import SQLiteStore
import Synchronization
import TestSupport
import Testing

/// A companion writes rows in the transaction of a save.
struct SaveCompanionTests {
  /// Writes a row for each save, and records its calls.
  private final class RecordingCompanion: SaveCompanion {
    struct Refused: Error {}
    private let state = Mutex<(calls: [String], refuses: Bool)>(([], false))

    var calls: [String] { state.withLock { $0.calls } }
    func refuse() { state.withLock { $0.refuses = true } }

    func noteSave(
      _ changes: StoreChanges, _ receipt: StoreSaveReceipt, of store: SQLiteRowStore,
      on connection: Connection
    ) throws {
      let rows = [
        changes.inserted.count, changes.updated.count, changes.deleted.count,
        changes.memberships.count,
      ]
      let number = receipt.transactionNumber.map(String.init) ?? "none"
      let history = try store.historyNumbers(on: connection)
      try connection.run("INSERT INTO DIARY(entry) VALUES(?)", [.text(number)])
      let refuses = state.withLock { state in
        state.calls.append(
          "\(number) \(rows) \(changes.transaction.author ?? "-") \(history.earliest)-\(history.latest)"
        )
        return state.refuses
      }
      if refuses { throw Refused() }
    }

    func noteBatch(of store: SQLiteRowStore, on connection: Connection) throws {
      let number = try store.historyNumbers(on: connection).latest
      let refuses = state.withLock { state in
        state.calls.append("batch \(number)")
        return state.refuses
      }
      if refuses { throw Refused() }
    }

    func willDeleteHistory(of store: SQLiteRowStore, on connection: Connection) throws {
      let found = try store.history(HistoryQuery(), on: connection)
      state.withLock {
        $0.calls.append("before deleting \(found.transactions.count) with \(found.changes.count)")
      }
      if state.withLock(\.refuses) { throw Refused() }
    }
  }

  private func withCompanion(_ body: (SampleStore, RecordingCompanion) throws -> Void) throws {
    try withTemporaryDirectory { folder in
      let sample = try SampleStore(SampleModels.library(), in: folder, keepsHistory: true)
      try sample.store.pool.write { try $0.execute("CREATE TABLE DIARY(entry TEXT)") }
      let companion = RecordingCompanion()
      sample.store.companion = companion
      try body(sample, companion)
    }
  }

  private func diary(_ sample: SampleStore) throws -> [String] {
    try sample.store.pool.read { try $0.rows("SELECT entry FROM DIARY ORDER BY rowid") }
      .map { if case .text(let entry) = $0[0] { entry } else { "" } }
  }

  @Test func `A companion is called in each save's transaction`() throws {
    try withCompanion { sample, companion in
      try Changes(sample, transaction: .sample).insert("Author", 1).insert("Book", 1, ["isbn": "1"])
        .saveAll()
      try Changes(sample).update("Author", 1, version: 1, ["name": "Ada"]).delete(
        "Book", 1, version: 1
      ).saveAll()
      #expect(companion.calls.map { $0.prefix(14) } == ["1 [2, 0, 0, 0]", "2 [0, 1, 1, 0]"])
      #expect(companion.calls.map { $0.suffix(4) } == [" 1-1", " 1-2"])
      #expect(try diary(sample) == ["1", "2"])
    }
  }

  @Test func `A companion is called in a batch request's transaction, and can refuse it`() throws {
    try withCompanion { sample, companion in
      try Changes(sample).insert("Author", 1).insert("Author", 2).saveAll()
      func delete(_ format: String) throws -> BatchReceipt {
        var fetch = RowFetch(layout: sample["Author"], specification: FetchSpecification())
        fetch.specification.predicate = NSPredicate(format: format)
        return try sample.store.delete(
          BatchDeletion(fetch: fetch, transaction: .sample, reportsKeys: false))
      }
      #expect(try delete("name == 'missing'").count == 0)
      #expect(companion.calls.count == 1)
      #expect(try delete("name == NIL").count == 2)
      #expect(companion.calls.last == "batch 2")
      try Changes(sample).insert("Author", 3).saveAll()
      companion.refuse()
      #expect(throws: RecordingCompanion.Refused.self) { try delete("name == NIL") }
      #expect(try sample.rows("Author", 3) == ["Author 3 v1"])
      #expect(try sample.store.latestHistoryNumber() == 3)
    }
  }

  @Test func `A save of memberships alone calls the companion without a number`() throws {
    try withCompanion { sample, companion in
      try Changes(sample).insert("Person", 1).insert("Person", 2).saveAll()
      try Changes(sample).members("Person", "friends", of: 1, added: [Reference("Person", 2)])
        .saveAll()
      #expect(companion.calls.last?.hasPrefix("none [0, 0, 0, 1]") == true)
    }
  }

  @Test func `A companion that throws undoes the save`() throws {
    try withCompanion { sample, companion in
      try Changes(sample).insert("Author", 1).saveAll()
      companion.refuse()
      #expect(throws: RecordingCompanion.Refused.self) {
        try Changes(sample).insert("Author", 2).save()
      }
      #expect(try sample.rows("Author", 1, 2) == ["Author 1 v1"])
      #expect(try diary(sample) == ["1"])
      #expect(try sample.store.latestHistoryNumber() == 1)
      #expect(throws: RecordingCompanion.Refused.self) {
        try sample.store.deleteHistory(.before(2))
      }
      #expect(try sample.store.historyCount(HistoryQuery()) == 1)
    }
  }

  @Test func `A companion reads the history before it is deleted`() throws {
    try withCompanion { sample, companion in
      try Changes(sample).insert("Author", 1).saveAll()
      #expect(try sample.store.deleteHistory(.before(2)) == 1)
      #expect(companion.calls.last == "before deleting 1 with 1")
    }
  }
}
