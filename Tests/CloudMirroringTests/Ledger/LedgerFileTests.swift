import CloudMirroring
import CloudRecords
import Foundation
import ManagedObjectModel
import ManagedObjects
import ObjectRows
import SQLiteDriver
import SQLiteStore
import TestSupport
import Testing

/// The ledger in the store's file: crashes, copies, versions, migrations.
struct LedgerFileTests {
  @Test func `A save that the companion refuses leaves neither rows nor entries`() throws {
    struct Refused: Error {}
    final class Refusing: SaveCompanion {
      func noteSave(
        _ changes: StoreChanges, _ receipt: StoreSaveReceipt, of store: SQLiteRowStore,
        on connection: Connection
      ) throws {
        throw Refused()
      }
      func willDeleteHistory(of store: SQLiteRowStore, on connection: Connection) throws {
        throw Refused()
      }
    }
    try withNotebook { notebook, _ in
      try notebook.insert("Note")
      let recorder = notebook.store.companion
      notebook.store.companion = Refusing()
      #expect(throws: (any Error).self) { try notebook.save() }
      notebook.store.companion = recorder
      #expect(try notebook.store.latestHistoryNumber() == 0)
      #expect(try notebook.waiting().isEmpty)
      try notebook.save()
      let waiting = try notebook.waiting()
      #expect(
        waiting.count == 1 && waiting.allSatisfy { $0.hasPrefix("insertion Note/") }, "\(waiting)")
      notebook.store.companion = Refusing()
      #expect(throws: (any Error).self) { try notebook.store.deleteHistory(.before(9)) }
      #expect(try notebook.store.latestHistoryNumber() == 1)
    }
  }

  /// Copies a store's files as they are now, as a crash leaves them.
  private func crashed(_ url: URL, as name: String) throws -> URL {
    let copy = url.deletingLastPathComponent().appendingPathComponent(name)
    for suffix in ["", "-wal"] where FileManager.default.fileExists(atPath: url.path + suffix) {
      try FileManager.default.copyItem(atPath: url.path + suffix, toPath: copy.path + suffix)
    }
    return copy
  }

  @Test func `After a crash at any step what was not acknowledged waits, under the same name`()
    throws
  {
    try withNotebook { notebook, url in
      let note = try notebook.insert("Note")
      try notebook.save()
      let saved = try crashed(url, as: "saved.sqlite")
      let entries = try notebook.entries()
      try notebook.book.noteSending(entries)
      let sent = try crashed(url, as: "sent.sqlite")
      try notebook.acknowledge(entries)
      let acknowledged = try crashed(url, as: "acknowledged.sqlite")
      note.setValue("Two", forKey: "title")
      try notebook.save()
      let changed = try crashed(url, as: "changed.sqlite")
      for (copy, waiting, mayBeOnServer) in [
        (saved, ["insertion Note/1"], false), (sent, ["insertion Note/1"], true),
        (acknowledged, [], true),
        (changed, ["update Note/1 title"], true),
      ] {
        let reopened = try Notebook(at: copy, seed: 9)
        #expect(try reopened.waiting() == waiting)
        let found = try reopened.entries()
        #expect(
          found.allSatisfy { $0.record == entries[0].record && $0.mayBeOnServer == mayBeOnServer })
        try reopened.close()
      }
    }
  }

  @Test func `Tables of a newer version are refused by name`() throws {
    try withNotebook { notebook, url in
      try notebook.book.setState([LedgerStateKey("version"): .integer(99)])
      notebook.ledger?.close()
      let error = #expect(throws: StoreError.self) { try notebook.startMirroring() }
      #expect(error?.code.name == "incompatibleSchema")
      #expect(error?.message.contains("version") == true)
      // Without mirroring the store opens as ever.
      let other = try Notebook(at: url, mirrors: false)
      #expect(try other.find("Note").isEmpty)
      try other.close()
    }
  }

  @Test func `A store without a history is refused`() throws {
    try withTemporaryDirectory { folder in
      let url = folder.appendingPathComponent("Plain.sqlite")
      let error = #expect(throws: StoreError.self) {
        try Notebook(at: url, options: [NSPersistentHistoryTrackingKey: false])
      }
      #expect(error?.message.contains("history") == true)
    }
  }

  @Test func `A copy of the store has the ledger, and an emptied one has none`() throws {
    try withNotebook { notebook, url in
      try notebook.insert("Note")
      try notebook.save()
      let copy = url.deletingLastPathComponent().appendingPathComponent("Copy.sqlite")
      try StoreFiles.replace(at: copy, with: url)
      let copied = try Notebook(at: copy, seed: 3)
      #expect(try copied.entries().map(\.record) == notebook.entries().map(\.record))
      try copied.close()
      try StoreFiles.destroy(at: copy)
      let fresh = try Notebook(at: copy, seed: 4)
      #expect(try fresh.waiting().isEmpty)
      #expect(try fresh.find("Note").isEmpty)
      try fresh.close()
    }
  }

  @Test func `A migration keeps what waits, under new names, and forgets what is gone`() throws {
    try withTemporaryDirectory { folder in
      let url = folder.appendingPathComponent("Notes.sqlite")
      let first = try Notebook(at: url)
      let (note, tag, inside) = (
        try first.insert("Note"), try first.insert("Tag"), try first.insert("Folder")
      )
      note.setValue(NSSet(array: [tag]), forKey: "tags")
      try first.save()
      try first.settle()
      note.setValue("New", forKey: "title")
      note.setValue(inside, forKey: "folder")
      tag.setValue("word", forKey: "word")
      inside.setValue("name", forKey: "name")
      note.setValue(NSSet(), forKey: "tags")
      try first.save()
      let names = try first.entries().map(\.record.recordName)
      #expect(names.count == 4)
      try first.close()
      let second = try Notebook(
        at: url, NotesModel.make(.second), seed: 5,
        options: [
          NSMigratePersistentStoresAutomaticallyOption: true,
          NSInferMappingModelAutomaticallyOption: true,
        ])
      let waiting = try second.waiting()
      #expect(waiting.prefix(2) == ["update Note/1 headline", "update Label/1 word"])
      #expect(waiting.count == 3, "\(waiting)")
      #expect(waiting.last?.hasPrefix("deletion") == true)
      #expect(try Set(second.entries().map(\.record.recordName)).isSubset(of: Set(names)))
      let label = try #require(try second.find("Label").first)
      label.setValue("again", forKey: "word")
      try second.save()
      #expect(try second.waiting().contains("update Label/1 word"))
      try second.close()
    }
  }

  @Test func `A zone that is lost is sent whole, and a store that changes its account begins anew`()
    throws
  {
    try withNotebook { notebook, _ in
      let (one, two, tag) = (
        try notebook.insert("Note"), try notebook.insert("Note"), try notebook.insert("Tag")
      )
      one.setValue(NSSet(array: [tag]), forKey: "tags")
      try notebook.save()
      try notebook.settle()
      notebook.context.delete(two)
      try notebook.save()
      try notebook.book.setZoneToken([1], of: Notebook.zone)
      try notebook.book.markAllPending(Notebook.zone)
      let again = try notebook.entries()
      // The deletion stays: another device may bring the record back.
      #expect(again.map(\.kind) == [.insertion, .insertion, .insertion, .deletion])
      #expect(again.allSatisfy { $0.tag == nil && ($0.group < 0) == ($0.kind == .insertion) })
      #expect(try notebook.book.zones() == [Notebook.zone: nil])
      try notebook.settle()
      try notebook.book.setState([.account: .text("somebody")])
      try notebook.book.forgetAll()
      #expect(try notebook.waiting().isEmpty)
      #expect(try notebook.book.state(.account) == nil)
      while try notebook.book.enrol() {}
      let fresh = try notebook.entries()
      #expect(fresh.count == 3)
      #expect(Set(fresh.map(\.record)).isDisjoint(with: again.map(\.record)))
      try notebook.book.forgetZone(Notebook.zone)
      #expect(try notebook.waiting().isEmpty)
    }
  }

  /// What brings a ledger of today back to its fifth version, in which nobody noted whom records
  /// were told.
  private static let toFifthVersion = """
    ALTER TABLE PHM_OBJECT DROP COLUMN e0; ALTER TABLE PHM_OBJECT DROP COLUMN e1; ALTER TABLE PHM_OBJECT DROP COLUMN e2;
    ALTER TABLE PHM_OBJECT DROP COLUMN e3; DROP TABLE PHM_READER; ALTER TABLE PHM_OBJECT_SYSTEM DROP COLUMN readers; ALTER TABLE PHM_PAIR_SYSTEM DROP COLUMN readers;
    UPDATE PHM_STATE SET value = 5 WHERE name = 'version';

    """

  /// What brings a ledger of today back to its first version, in which there were neither orders
  /// nor digests.
  private static let toFirstVersion =
    toFifthVersion + """
      DROP TABLE PHM_SUCCESSION;
      DROP INDEX PHM_PARKED_CLAIM; ALTER TABLE PHM_PARKED DROP COLUMN claim;
      DROP TRIGGER PHM_UNREAD_GONE; DROP TABLE PHM_UNREAD; DROP TRIGGER PHM_ORDERED_GONE; DROP TABLE PHM_ORDER; DROP TABLE PHM_ORDER_NAME;
      ALTER TABLE PHM_OBJECT_SYSTEM DROP COLUMN digests;
      UPDATE PHM_STATE SET value = 1 WHERE name = 'version';
      """

  @Test func `A ledger of the first version gets what it lacks, and keeps what it has`() throws {
    try withTemporaryDirectory { folder in
      let url = folder.appendingPathComponent("Notes.sqlite")
      let first = try Notebook(at: url)
      let note = try first.insert("Note", ["title": "One"])
      try first.save()
      try first.settle()
      note.setValue("Two", forKey: "title")
      try first.insert("Tag")
      try first.save()
      let (waiting, records) = (try first.waiting(), try first.entries().map(\.record))
      try first.outsider().execute(Self.toFirstVersion)
      try first.close()
      let second = try Notebook(at: url)
      #expect(try second.waiting() == waiting)
      let entries = try second.entries()
      #expect(entries.map(\.record) == records)
      #expect(
        entries.contains { $0.tag != nil && $0.systemFields != nil },
        "What the server had is known.")
      let keys = entries.compactMap { entry -> RowKey? in
        if case .object(let key) = entry.subject { key } else { nil }
      }
      #expect(try second.book.keptOrders(of: keys).isEmpty)
      #expect(try second.book.records(of: keys).values.allSatisfy(\.digests.isEmpty))
      try second.settle()
      #expect(try second.waiting().isEmpty)
      #expect(
        try second.outsider().value("SELECT value FROM PHM_STATE WHERE name = 'version'")
          == .integer(7))
      try second.close()
    }
  }

  /// All tables, indexes and triggers of the ledger, with the columns of each.
  private func schema(of notebook: Notebook) throws -> [[Value]] {
    try notebook.outsider().rows(
      """
      SELECT s.type, s.name, c.name, c.type, c."notnull", c.pk FROM sqlite_schema s LEFT JOIN pragma_table_info(s.name) c
      WHERE s.name LIKE 'PHM_%' ORDER BY s.name, c.cid
      """)
  }

  @Test func `A ledger of the first version comes to have what a new one has`() throws {
    try withTemporaryDirectory { folder in
      let url = folder.appendingPathComponent("Notes.sqlite")
      let first = try Notebook(at: url)
      let new = try schema(of: first)
      try first.outsider().execute(Self.toFirstVersion)
      #expect(try schema(of: first) != new)
      try first.close()
      let second = try Notebook(at: url)
      #expect(try schema(of: second) == new)
      try second.close()
    }
  }

  @Test func `A ledger of the fourth version learns for whom records stand`() throws {
    try withTemporaryDirectory { folder in
      let url = folder.appendingPathComponent("Notes.sqlite")
      let first = try Notebook(at: url)
      try first.insert("Note", ["title": "One"])
      try first.save()
      try first.settle()
      try first.outsider().execute(
        Self.toFifthVersion
          + "DROP TABLE PHM_SUCCESSION; UPDATE PHM_STATE SET value = 4 WHERE name = 'version'")
      try first.close()
      let second = try Notebook(at: url)
      let record = RecordIdentifier(recordName: "one", zone: Notebook.zone)
      let succession = Succession(
        survivor: record, departed: "other", constraint: ["title"], isSent: true)
      var changes = LedgerChanges()
      changes.successions = [succession]
      try second.book.apply(changes)
      #expect(try second.book.successions(of: [record]) == [record: [succession]])
      #expect(
        try second.outsider().value("SELECT value FROM PHM_STATE WHERE name = 'version'")
          == .integer(7))
      try second.close()
    }
  }

  @Test
  func
    `A ledger of the fifth version learns whom records were told, and lists a public database once more`()
    throws
  {
    try withTemporaryDirectory { folder in
      let url = folder.appendingPathComponent("Notes.sqlite")
      let first = try Notebook(at: url)
      let note = try first.insert("Note", ["title": "One"])
      note.setValue(NSSet(array: [try first.insert("Tag")]), forKey: "tags")
      try first.save()
      let records = try first.entries().map(\.record)
      try first.settle()
      try first.book.setState([
        LedgerStateKey("polledUntil.CD_Note"): .real(1), LedgerStateKey("polled"): .real(2),
      ])
      try first.outsider().execute(Self.toFifthVersion)
      try first.close()
      let second = try Notebook(at: url)
      #expect(try second.book.state(LedgerStateKey("polledUntil.CD_Note")) == nil)
      #expect(try second.book.state(LedgerStateKey("polled")) == .real(2))
      #expect(records.count == 3)
      #expect(try second.book.told(records, to: "ada").isEmpty)
      try second.book.noteTold(Array(records.prefix(2)), to: "ada")
      try second.book.noteTold(Array(records.suffix(2)), to: nil)
      #expect(try second.book.told(records, to: "ada") == Set(records))
      #expect(try second.book.told(records, to: nil) == Set(records.suffix(2)))
      #expect(try second.book.told(records, to: "bob") == Set(records.suffix(2)))
      // What is sent later keeps it.
      (try #require(try second.find("Note").first)).setValue("Two", forKey: "title")
      try second.save()
      try second.settle()
      #expect(try second.book.told(records, to: "ada") == Set(records))
      try second.close()
    }
  }

  @Test func `Events are told in order, and one that a crash ended has no end`() throws {
    try withNotebook { notebook, _ in
      let (book, start) = (try notebook.book, Date(timeIntervalSinceReferenceDate: 100))
      var first = LedgerEvent(identifier: UUID(), type: 0, start: start)
      let second = LedgerEvent(identifier: UUID(), type: 2, start: start.addingTimeInterval(1))
      try book.note(first)
      try book.note(second)
      first.end = start.addingTimeInterval(3)
      first.error = [4]
      try book.note(first)
      #expect(try book.events() == [first, second])
      #expect(try book.events(from: start.addingTimeInterval(1)) == [second])
      #expect(try book.events(limit: 1) == [first])
    }
  }
}
