import CloudRecords
import Foundation
import ManagedObjectModel
import ManagedObjects
import MirrorLedger
import MirrorModel
import ObjectRows
import SQLiteDriver
import SQLiteStore
import TestSupport
import Testing

/// The ledger in the store's file: crashes, copies, versions, migrations.
struct LedgerFileTests {
  @Test func `A save that the companion rejects leaves neither rows nor entries`() throws {
    struct Refused: Error {}
    final class Refusing: SaveCompanion {
      func noteSave(
        _ changes: StoreChanges, _ receipt: StoreSaveReceipt, of store: SQLiteRowStore,
        on connection: Connection
      ) throws {
        throw Refused()
      }
      func noteBatch(of store: SQLiteRowStore, on connection: Connection) throws {}

      func willDeleteHistory(of store: SQLiteRowStore, on connection: Connection) throws {
        throw Refused()
      }
    }
    try withNotebook { notesStore, _ in
      try notesStore.insert("Note")
      let recorder = notesStore.store.companion
      notesStore.store.companion = Refusing()
      #expect(throws: (any Error).self) { try notesStore.save() }
      notesStore.store.companion = recorder
      #expect(try notesStore.store.latestHistoryNumber() == 0)
      #expect(try notesStore.waiting().isEmpty)
      try notesStore.save()
      let waiting = try notesStore.waiting()
      #expect(
        waiting.count == 1 && waiting.allSatisfy { $0.hasPrefix("insertion Note/") }, "\(waiting)")
      notesStore.store.companion = Refusing()
      #expect(throws: (any Error).self) { try notesStore.store.deleteHistory(.before(9)) }
      #expect(try notesStore.store.latestHistoryNumber() == 1)
    }
  }

  /// Copies a store's files in their current state, as a crash leaves them.
  private func crashed(_ url: URL, as name: String) throws -> URL {
    let copy = url.deletingLastPathComponent().appendingPathComponent(name)
    for suffix in ["", "-wal"] where FileManager.default.fileExists(atPath: url.path + suffix) {
      try FileManager.default.copyItem(atPath: url.path + suffix, toPath: copy.path + suffix)
    }
    return copy
  }

  @Test func `After a crash at any step unacknowledged entries remain, under the same name`() throws
  {
    try withNotebook { notesStore, url in
      let note = try notesStore.insert("Note")
      try notesStore.save()
      let saved = try crashed(url, as: "saved.sqlite")
      let entries = try notesStore.entries()
      try notesStore.requiredLedger.outbox.recordSending(entries)
      let sent = try crashed(url, as: "sent.sqlite")
      try notesStore.acknowledge(entries)
      let acknowledged = try crashed(url, as: "acknowledged.sqlite")
      note.setValue("Two", forKey: "title")
      try notesStore.save()
      let changed = try crashed(url, as: "changed.sqlite")
      for (copy, waiting, mayBeOnServer) in [
        (saved, ["insertion Note/1"], false), (sent, ["insertion Note/1"], true),
        (acknowledged, [], true),
        (changed, ["update Note/1 title"], true),
      ] {
        let reopened = try NotesStore(at: copy, seed: 9)
        #expect(try reopened.waiting() == waiting)
        let found = try reopened.entries()
        #expect(
          found.allSatisfy { $0.record == entries[0].record && $0.mayBeOnServer == mayBeOnServer })
        try reopened.close()
      }
    }
  }

  @Test
  func `Tables of a newer version are rejected, and the store opens without mirroring`() throws {
    try withNotebook { notesStore, url in
      try notesStore.requiredLedger.setState([LedgerStateKey("version"): .integer(99)])
      notesStore.ledger?.close()
      let error = #expect(throws: StoreError.self) { try notesStore.startMirroring() }
      #expect(error?.code.name == "incompatibleSchema")
      #expect(error?.message.contains("version 99; this program reads up to version 1") == true)
      // Without mirroring the store opens as usual.
      let other = try NotesStore(at: url, mirrors: false)
      #expect(try other.find("Note").isEmpty)
      try other.close()
    }
  }

  @Test func `A store without a history is rejected`() throws {
    try withTemporaryDirectory { folder in
      let url = folder.appendingPathComponent("Plain.sqlite")
      let error = #expect(throws: StoreError.self) {
        try NotesStore(at: url, options: [NSPersistentHistoryTrackingKey: false])
      }
      #expect(error?.message.contains("history") == true)
    }
  }

  @Test func `A copy of the store has the ledger, and an emptied store has none`() throws {
    try withNotebook { notesStore, url in
      try notesStore.insert("Note")
      try notesStore.save()
      let copy = url.deletingLastPathComponent().appendingPathComponent("Copy.sqlite")
      try StoreFiles.replace(at: copy, with: url)
      let copied = try NotesStore(at: copy, seed: 3)
      #expect(try copied.entries().map(\.record) == notesStore.entries().map(\.record))
      try copied.close()
      try StoreFiles.destroy(at: copy)
      let fresh = try NotesStore(at: copy, seed: 4)
      #expect(try fresh.waiting().isEmpty)
      #expect(try fresh.find("Note").isEmpty)
      try fresh.close()
    }
  }

  @Test func `A migration keeps pending entries under new names and drops those without objects`()
    throws
  {
    try withTemporaryDirectory { folder in
      let url = folder.appendingPathComponent("Notes.sqlite")
      let first = try NotesStore(at: url)
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
      let second = try NotesStore(
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

  /// The superentity keeps the relationship.
  @Test func `Pending pairs of an entity that left the model are dropped`() throws {
    try withNotebook { notesStore, _ in
      let (task, tag) = (try notesStore.insert("Task"), try notesStore.insert("Tag"))
      try notesStore.save()
      try notesStore.settle()
      task.setValue(NSSet(array: [tag]), forKey: "tags")
      try notesStore.save()
      #expect(try notesStore.waiting().count == 1)
      try notesStore.requiredLedger.close()
      let (clock, uuids) = (notesStore.clock, TestUUIDs(seed: 2))
      let options = LedgerOptions(
        homeZone: NotesStore.zone, makeUUID: { uuids.next() }, now: { clock.now() },
        tracked: { $0.entity.name == "Task" ? nil : TrackedProperties.standard($0) })
      let ledger = try Ledger.open(notesStore.store, options)
      #expect(try ledger.outbox.isAnythingPending == false)
      ledger.close()
    }
  }

  @Test func `A staged migration keeps pending entries and sends what its handlers change`() throws
  {
    try withTemporaryDirectory { folder in
      let url = folder.appendingPathComponent("Notes.sqlite")
      let (old, new) = (NotesModel.make(), NotesModel.make(.second))
      let first = try NotesStore(at: url, old)
      let (note, other) = (try first.insert("Note"), try first.insert("Note"))
      try first.save()
      try first.settle()
      note.setValue("pending", forKey: "title")
      try first.save()
      #expect(try first.waiting() == ["update Note/1 title"])
      let otherKey = other.objectID.uriRepresentation().lastPathComponent
      try first.close()
      let references = [old, new].map {
        NSManagedObjectModelReference(model: $0, versionChecksum: $0.versionChecksum)
      }
      let stage = NSCustomMigrationStage(migratingFrom: references[0], to: references[1])
      stage.willMigrateHandler = { manager, _ in
        let context = try #require(manager.container).newBackgroundContext()
        try context.performAndWait {
          let notes = try context.fetch(NSFetchRequest<NSManagedObject>(entityName: "Note"))
          for note in notes where note.value(forKey: "title") == nil {
            note.setValue("filled", forKey: "title")
          }
          try context.save()
        }
      }
      let second = try NotesStore(
        at: url, new, seed: 5,
        options: [
          NSMigratePersistentStoresAutomaticallyOption: true,
          NSPersistentStoreStagedMigrationManagerOptionKey: NSStagedMigrationManager([stage]),
        ])
      let waiting = try second.waiting()
      #expect(waiting.contains("update Note/1 headline"), "\(waiting)")
      let filled = "update Note/\(otherKey.dropFirst())"
      #expect(waiting.contains { $0.hasPrefix(filled) }, "\(waiting)")
      try second.close()
    }
  }

  @Test func `A lost zone is sent whole, and a store whose account changes starts over`() throws {
    try withNotebook { notesStore, _ in
      let (one, two, tag) = (
        try notesStore.insert("Note"), try notesStore.insert("Note"), try notesStore.insert("Tag")
      )
      one.setValue(NSSet(array: [tag]), forKey: "tags")
      try notesStore.save()
      try notesStore.settle()
      notesStore.context.delete(two)
      try notesStore.save()
      try notesStore.requiredLedger.setZoneToken([1], of: NotesStore.zone)
      try notesStore.requiredLedger.requeueAll(NotesStore.zone)
      let again = try notesStore.entries()
      // The deletion stays, because another device may recreate the record.
      #expect(again.map(\.kind) == [.insertion, .insertion, .insertion, .deletion])
      #expect(again.allSatisfy { $0.tag == nil && ($0.group < 0) == ($0.kind == .insertion) })
      #expect(try notesStore.requiredLedger.zoneToken(NotesStore.zone) == nil)
      try notesStore.settle()
      try notesStore.requiredLedger.setState([.account: .text("somebody")])
      try notesStore.requiredLedger.forgetAll()
      #expect(try notesStore.waiting().isEmpty)
      #expect(try notesStore.requiredLedger.state(.account) == nil)
      while try notesStore.requiredLedger.backfill() {}
      let fresh = try notesStore.entries()
      #expect(fresh.count == 3)
      #expect(Set(fresh.map(\.record)).isDisjoint(with: again.map(\.record)))
      try notesStore.requiredLedger.sharedZones.forget(NotesStore.zone)
      #expect(try notesStore.waiting().isEmpty)
    }
  }

  @Test func `Tables without a version are rejected and stay unchanged`() throws {
    try withNotebook { notesStore, _ in
      try notesStore.outsider().execute("DELETE FROM PHM_STATE WHERE name = 'version'")
      notesStore.ledger?.close()
      let error = #expect(throws: StoreError.self) { try notesStore.startMirroring() }
      #expect(error?.code.name == "incompatibleSchema")
      #expect(
        error?.message.contains("an unknown version") == true
          && error?.message.contains("Send all changes with the program that wrote them") == true)
      #expect(
        try notesStore.outsider().value("SELECT value FROM PHM_STATE WHERE name = 'version'") == nil
      )
    }
  }

  @Test func `An upgrade runs each step from the tables' version once`() throws {
    try withNotebook { notesStore, _ in
      let connection = try notesStore.outsider()
      let steps: [Int64: [String]] = [
        1: ["CREATE TABLE PHM_STEPS(name TEXT)", "INSERT INTO PHM_STEPS VALUES('1 to 2')"],
        2: ["INSERT INTO PHM_STEPS VALUES('2 to 3')"],
      ]
      for version in [1, 3, 3] as [Int64] {
        try LedgerTables.prepare(on: connection, version: version, upgrades: steps)
        #expect(
          try connection.value("SELECT value FROM PHM_STATE WHERE name = 'version'")
            == .integer(version))
      }
      #expect(
        try connection.rows("SELECT name FROM PHM_STEPS") == [[.text("1 to 2")], [.text("2 to 3")]])
      let missing = #expect(throws: StoreError.self) {
        try LedgerTables.prepare(on: connection, version: 4, upgrades: steps)
      }
      #expect(missing?.message.contains("version 3, which this program does not upgrade") == true)
      let later = #expect(throws: StoreError.self) {
        try LedgerTables.prepare(on: connection, version: 2, upgrades: steps)
      }
      #expect(later?.message.contains("version 3; this program reads up to version 2") == true)
    }
  }

  @Test func `A ledger records which users saw records of a public database`() throws {
    try withNotebook { notesStore, _ in
      let note = try notesStore.insert("Note", ["title": "One"])
      note.setValue(NSSet(array: [try notesStore.insert("Tag")]), forKey: "tags")
      try notesStore.save()
      let records = try notesStore.entries().map(\.record)
      try notesStore.settle()
      #expect(records.count == 3)
      #expect(try notesStore.requiredLedger.received(records, to: "ada").isEmpty)
      try notesStore.requiredLedger.recordReceipts(Array(records.prefix(2)), to: "ada")
      try notesStore.requiredLedger.recordReceipts(Array(records.suffix(2)), to: nil)
      #expect(try notesStore.requiredLedger.received(records, to: "ada") == Set(records))
      #expect(try notesStore.requiredLedger.received(records, to: nil) == Set(records.suffix(2)))
      #expect(try notesStore.requiredLedger.received(records, to: "bob") == Set(records.suffix(2)))
      // Later saves keep it.
      note.setValue("Two", forKey: "title")
      try notesStore.save()
      try notesStore.settle()
      #expect(try notesStore.requiredLedger.received(records, to: "ada") == Set(records))
    }
  }

  @Test func `Events are read in order, and one that a crash interrupted has no end`() throws {
    try withNotebook { notesStore, _ in
      let (ledger, start) = (
        try notesStore.requiredLedger, Date(timeIntervalSinceReferenceDate: 100)
      )
      var first = LedgerEvent(identifier: UUID(), type: 0, start: start)
      let second = LedgerEvent(identifier: UUID(), type: 2, start: start.addingTimeInterval(1))
      try ledger.note(first)
      try ledger.note(second)
      first.end = start.addingTimeInterval(3)
      first.error = [4]
      try ledger.note(first)
      #expect(try ledger.events() == [first, second])
      #expect(try ledger.events(from: start.addingTimeInterval(1)) == [second])
      #expect(try ledger.events(limit: 1) == [first])
    }
  }
}
