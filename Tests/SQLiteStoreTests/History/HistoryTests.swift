import Foundation
import ManagedObjectModel
import ObjectRows
import SQLiteDriver
import SQLiteStore
import TestSupport
import Testing

@Suite struct `Store history` {
  private func describe(_ rows: HistoryRows) -> [String] {
    rows.transactions.map { transaction in
      let texts = [
        transaction.author, transaction.contextName, transaction.bundleID, transaction.processID,
      ]
      return "\(transaction.number) at \(transaction.date.timeIntervalSinceReferenceDate): "
        + texts.map { $0 ?? "-" }.joined(separator: " ")
    }
      + rows.changes.map { change in
        let changed = change.changed.ordinals.map { change.layout.properties[$0].name }.joined(
          separator: " ")
        return
          "\(change.transaction).\(change.number) \(change.kind) \(change.layout.entity.name ?? "") \(change.key)"
          + (changed.isEmpty ? "" : " " + changed)
      }
  }

  private func saved(by author: String?, at seconds: Double) -> TransactionDescription {
    TransactionDescription(
      author: author, contextName: "main", bundleID: "tests", processID: "test",
      date: Date(timeIntervalSinceReferenceDate: seconds))
  }

  /// Three saves: Ada's at 10 and 30 seconds, Ben's at 20.
  private func notes(in folder: URL) throws -> SampleStore {
    let sample = try SampleStore(SampleModels.notes(), in: folder, keepsHistory: true)
    let receipts = [
      try Changes(sample, transaction: saved(by: "Ada", at: 10)).insert("Note", 1, ["title": "a"])
        .insert("Special", 1).insert("Note", 2).saveAll(),
      try Changes(sample, transaction: saved(by: "Ben", at: 20))
        .update("Note", 1, version: 1, ["body": "b", "folder": Reference("Special", 1)])
        .update("Special", 1, version: 1, ["notes": ["changed"]]).saveAll(),
      try Changes(sample, transaction: saved(by: "Ada", at: 30)).delete("Note", 2, version: 1)
        .saveAll(),
    ]
    #expect(receipts.map(\.transactionNumber) == [1, 2, 3])
    return sample
  }

  @Test(arguments: [16001, 16002, 16003])
  func `A counter without a next number is an error, and nothing is saved`(entity: Int) throws {
    try withTemporaryDirectory { folder in
      let sample = try notes(in: folder)
      try sample.outsider().run(
        "UPDATE Z_PRIMARYKEY SET Z_MAX = ? WHERE Z_ENT = ?",
        [.integer(.max), .integer(Int64(entity))])
      let error = try #require(throws: StoreError.self) {
        _ = try Changes(sample, transaction: saved(by: "Eve", at: 40)).insert("Note", 9).save()
      }
      #expect(error.code == .notAStore && error.context["entity"] == "\(entity)")
      #expect(try sample.rows("Note", 9) == [])
    }
  }

  @Test func `The history holds every save in Core Data's tables`() throws {
    try withTemporaryDirectory { folder in
      let sample = try notes(in: folder)
      #expect(
        describe(try sample.store.history(HistoryQuery())) == [
          "1 at 10.0: Ada main tests test", "2 at 20.0: Ben main tests test",
          "3 at 30.0: Ada main tests test",
          "1.1 insertion Note 1", "1.2 insertion Special 1", "1.3 insertion Note 2",
          "2.4 update Note 1 body folder",
          "2.5 update Special 1 notes", "3.6 deletion Note 2",
        ])
      let file = try sample.outsider()
      #expect(
        try file.rows("SELECT Z_PK, Z_ENT, Z_OPT, ZAUTHORTS, ZAUTHOR, ZTIMESTAMP FROM ATRANSACTION")
          == [
            [1, 16002, nil, 1, nil, 10.0], [2, 16002, nil, 5, nil, 20.0],
            [3, 16002, nil, 1, nil, 30.0],
          ])
      #expect(
        try file.rows("SELECT Z_PK, Z_ENT, Z_OPT, ZNAME FROM ATRANSACTIONSTRING ORDER BY Z_PK") == [
          [1, 16003, nil, "Ada"], [2, 16003, nil, "tests"], [3, 16003, nil, "main"],
          [4, 16003, nil, "test"],
          [5, 16003, nil, "Ben"],
        ])
      // The entities are Folder 1, Special 2 and Note 3. A note's bits are two for the folder, and
      // one each for body, colour, count, id, photo, title and when.
      #expect(
        try file.rows(
          "SELECT Z_PK, Z_ENT, Z_OPT, ZCHANGETYPE, ZENTITY, ZENTITYPK, ZTRANSACTIONID, ZCOLUMNS FROM ACHANGE"
        )
          == [
            [1, 16001, nil, 0, 3, 1, 1, nil], [2, 16001, nil, 0, 2, 1, 1, nil],
            [3, 16001, nil, 0, 3, 2, 1, nil],
            [4, 16001, nil, 1, 3, 1, 2, .blob([0b1110_0000, 0])],
            [5, 16001, nil, 1, 2, 1, 2, .blob([0b1000_0000])],
            [6, 16001, nil, 2, 3, 2, 3, nil],
          ])
      #expect(
        try file.rows("SELECT Z_ENT, Z_NAME, Z_SUPER, Z_MAX FROM Z_PRIMARYKEY WHERE Z_ENT > 16000")
          == [
            [16001, "CHANGE", 0, 6], [16002, "TRANSACTION", 0, 3],
            [16003, "TRANSACTIONSTRING", 0, 5],
          ])
    }
  }

  @Test func `A deleted row's preserved attributes are kept by name`() throws {
    try withTemporaryDirectory { folder in
      let sample = try SampleStore(SampleModels.notes(), in: folder, keepsHistory: true)
      let id = UUID()
      let values: [String: Any] = [
        "title": "t", "id": id, "count": 7, "when": Date(timeIntervalSinceReferenceDate: 1.5),
        "body": "gone",
        "colour": EncodedValue(Data([1, 2])), "photo": BinaryValue(Data([3])),
      ]
      try Changes(sample).insert("Note", 1, values).insert("Note", 2).insert(
        "Folder", 1, ["name": "f"]
      ).saveAll()
      try Changes(sample).delete("Note", 1, version: 1).delete("Note", 2, version: 1).delete(
        "Folder", 1, version: 1
      )
      .delete("Note", 99, version: nil).saveAll()
      let changes = try sample.store.history(HistoryQuery(after: 1)).changes
      try #require(changes.count == 3)
      let tombstone = try #require(changes[0].tombstone)
      #expect(tombstone.keys.sorted() == ["colour", "count", "id", "title", "when"])
      #expect(tombstone["id"] as? UUID == id)
      #expect(tombstone["when"] as? Date == Date(timeIntervalSinceReferenceDate: 1.5))
      #expect((tombstone["colour"] as? EncodedValue)?.data == Data([1, 2]))
      #expect(changes[1].tombstone?.isEmpty == true)
      #expect(changes[2].tombstone?["name"] as? String == "f")
      let columns = (0..<6).map { "ZTOMBSTONE\($0)" }.joined(separator: ", ")
      #expect(
        try sample.outsider().rows(
          "SELECT \(columns) FROM ACHANGE WHERE ZENTITYPK = 1 AND ZCHANGETYPE = 2") == [
            [.blob([1, 2]), 7, .blob(Array(Data(uuid: id))), nil, "t", 1.5],
            ["f", nil, nil, nil, nil, nil],
          ])
    }
  }

  @Test func `History is fetched by number, date and list, up to a limit`()
    throws
  {
    try withTemporaryDirectory { folder in
      let store = try notes(in: folder).store
      func numbers(_ change: (inout HistoryQuery) -> Void) throws -> [Int64] {
        var query = HistoryQuery()
        change(&query)
        let rows = try store.history(query)
        #expect(Set(rows.changes.map(\.transaction)) == Set(rows.transactions.map(\.number)))
        query.includesChanges = false
        #expect(try store.historyCount(query) == rows.transactions.count)
        #expect(try store.history(query).changes.isEmpty)
        query.includesChanges = true
        #expect(try store.historyCount(query) == rows.changes.count)
        return rows.transactions.map(\.number)
      }
      #expect(try numbers { $0.after = 1 } == [2, 3])
      #expect(try numbers { $0.after = 3 } == [])
      #expect(try numbers { $0.afterDate = Date(timeIntervalSinceReferenceDate: 10) } == [2, 3])
      #expect(try numbers { $0.afterDate = Date(timeIntervalSinceReferenceDate: 29.5) } == [3])
      #expect(try numbers { $0.numbers = [3, 1, 7] } == [1, 3])
      #expect(try numbers { $0.limit = 2 } == [1, 2])
      #expect(try numbers { ($0.after, $0.numbers, $0.limit) = (1, [1, 2, 3], 1) } == [2])
    }
  }

  @Test
  func `Deleting history before a number or date also deletes unused texts`()
    throws
  {
    try withTemporaryDirectory { folder in
      let sample = try notes(in: folder)
      let store = sample.store
      #expect(try (store.earliestHistoryNumber(), store.latestHistoryNumber()) == (1, 3))
      #expect(try store.deleteHistory(.before(2)) == 1)
      #expect(try (store.earliestHistoryNumber(), store.latestHistoryNumber()) == (2, 3))
      #expect(try store.deleteHistory(.beforeDate(Date(timeIntervalSinceReferenceDate: 30))) == 1)
      #expect(try store.history(HistoryQuery()).changes.map(\.number) == [6])
      #expect(
        try sample.outsider().rows("SELECT ZNAME FROM ATRANSACTIONSTRING ORDER BY Z_PK") == [
          ["Ada"], ["tests"], ["main"], ["test"],
        ])
      #expect(try store.deleteHistory(.before(100)) == 1)
      #expect(try store.deleteHistory(.before(100)) == 0)
      #expect(try (store.earliestHistoryNumber(), store.latestHistoryNumber()) == (4, 3))
      let receipt = try Changes(sample).insert("Note", 50).saveAll()
      #expect(receipt.transactionNumber == 4)
      #expect(try store.history(HistoryQuery()).changes.map(\.number) == [7])
    }
  }

  @Test func `Without the option, and for failed or empty saves, no history is written`()
    throws
  {
    try withTemporaryDirectory { folder in
      let without = try SampleStore(SampleModels.notes(), in: folder)
      #expect(try Changes(without).insert("Note", 1).saveAll().transactionNumber == nil)
      #expect(
        try without.outsider().value("SELECT count(*) FROM sqlite_schema WHERE name = 'ACHANGE'")
          == 0)
      #expect(try without.store.history(HistoryQuery()).transactions.isEmpty)
      #expect(
        try (without.store.earliestHistoryNumber(), without.store.latestHistoryNumber()) == (1, 0))
      #expect(try without.store.deleteHistory(.before(9)) == 0)
      let with = try SampleStore(SampleModels.notes(), in: folder, keepsHistory: true)
      #expect(try Changes(with).update("Note", 1, version: 5, ["body": "x"]).conflicts().count == 1)
      try Changes(with).delete("Note", 8, version: nil).saveAll()
      #expect(try with.store.latestHistoryNumber() == 0)
      #expect(try Changes(with).insert("Note", 2).saveAll().transactionNumber == 1)
      // The store that was opened without a history sees the change, too.
      #expect(try without.store.history(HistoryQuery()).changes.count == 1)
    }
  }

  @Test func `The layout of 2017 is read and continued`() throws {
    try withTemporaryDirectory { folder in
      try SampleStore(SampleModels.notes(), in: folder).outsider().execute(
        """
        CREATE TABLE ACHANGE (Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER, ZCHANGETYPE INTEGER, ZENTITY INTEGER,
          ZENTITYPK INTEGER, ZTRANSACTIONID INTEGER);
        CREATE TABLE ATRANSACTION (Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER, ZTIMESTAMP FLOAT,
          ZAUTHOR VARCHAR, ZBUNDLEID VARCHAR, ZPROCESSID VARCHAR);
        INSERT INTO Z_PRIMARYKEY VALUES (16001, 'CHANGE', 0, 2), (16002, 'TRANSACTION', 0, 1);
        INSERT INTO ATRANSACTION VALUES (1, 16002, NULL, 5.5, 'Old', 'b', 'p');
        INSERT INTO ACHANGE VALUES (1, 16001, NULL, 1, 3, 12, 1), (2, 16001, NULL, 1, 99, 1, 1);
        """)
      let sample = try SampleStore(SampleModels.notes(), in: folder, keepsHistory: true)
      try Changes(sample, transaction: saved(by: "New", at: 6)).insert("Note", 1).saveAll()
      try Changes(sample, transaction: saved(by: nil, at: 7)).update(
        "Note", 1, version: 1, ["body": "x"]
      ).saveAll()
      #expect(
        describe(try sample.store.history(HistoryQuery())) == [
          "1 at 5.5: Old - b p", "2 at 6.0: New - tests test", "3 at 7.0: - - tests test",
          "1.1 update Note 12",
          "2.3 insertion Note 1", "3.4 update Note 1",
        ])
    }
  }

  @Test func `Fetching history after a number does not scan the tables`() throws {
    try withTemporaryDirectory { folder in
      let sample = try notes(in: folder)
      _ = sample.statements.take()
      var query = HistoryQuery(after: 1)
      query.afterDate = Date(timeIntervalSinceReferenceDate: 0)
      _ = try (sample.store.history(HistoryQuery(after: 1)), sample.store.history(query))
      let statements = sample.statements.take().filter { $0.hasPrefix("SELECT") }
      #expect(statements.count == 4)
      let connection = try sample.outsider()
      _ = try connection.integerArray(0)
      for sql in statements {
        var statement = try connection.prepare("EXPLAIN QUERY PLAN \(sql)")
        while try statement.step() {
          let step = statement.row.text(at: 3) ?? ""
          // A plan names a table by its alias: `t` for transactions, `c` for changes.
          #expect(!step.hasPrefix("SCAN t") && !step.hasPrefix("SCAN c"), "\(sql): \(step)")
        }
      }
    }
  }

  @Test func `A save's history takes one statement per change and nine more`()
    throws
  {
    try withTemporaryDirectory { folder in
      let sample = try notes(in: folder)
      _ = sample.statements.take()
      try Changes(sample, transaction: saved(by: "Ada", at: 40)).insert("Note", 7).insert("Note", 8)
        .saveAll()
      let kinds = sample.statements.take().map {
        $0.split(separator: " ").prefix(3).joined(separator: " ")
      }
      #expect(
        kinds == [
          "BEGIN EXCLUSIVE", "INSERT INTO ZNOTE(Z_PK,", "INSERT INTO ZNOTE(Z_PK,",
          "SELECT Z_MAX FROM",
          "SELECT Z_MAX FROM", "SELECT Z_PK FROM", "SELECT Z_PK FROM", "SELECT Z_PK FROM",
          "SELECT Z_PK FROM",
          "INSERT INTO ATRANSACTION(Z_PK,", "INSERT INTO ACHANGE(Z_PK,",
          "INSERT INTO ACHANGE(Z_PK,",
          "INSERT INTO Z_PRIMARYKEY(Z_ENT,", "INSERT INTO Z_PRIMARYKEY(Z_ENT,", "COMMIT",
        ])
    }
  }
}

extension Data {
  fileprivate init(uuid: UUID) {
    var bytes = uuid.uuid
    self = Swift.withUnsafeBytes(of: &bytes) { Data($0) }
  }
}
