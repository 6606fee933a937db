import CloudRecords
import Foundation
import ManagedObjectModel
import ManagedObjects
import MirrorLedger
import MirrorModel
import MirroringTestSupport
import ObjectRows
import SQLiteDriver
import SQLiteStore
import TestSupport
import Testing

/// The cost of one change does not depend on the size of the store.
struct LedgerCostTests {
  @Test func `No statement scans a whole table`() throws {
    try withNotebook { notesStore, _ in
      let connection = try notesStore.outsider()
      for sql in LedgerStatements.all {
        var statement = try connection.prepare("EXPLAIN QUERY PLAN " + sql)
        var steps: [String] = []
        while try statement.step() {
          steps.append(statement.row.text(at: statement.row.count - 1) ?? "")
        }
        #expect(!steps.isEmpty || sql.hasPrefix("INSERT"), "\(sql)")
        for step in steps {
          // A statement may scan the pending entries, which have their own partial index.
          let scansTable =
            step.hasPrefix("SCAN") && !step.contains("PENDING") && step != "SCAN CONSTANT ROW"
          #expect(!scansTable, "\(sql): \(step)")
          #expect(!(step.contains("TEMP B-TREE") && step.contains("ORDER BY")), "\(sql): \(step)")
        }
      }
    }
  }

  @Test func `The bytes of pending entries are measured, and estimated beyond a limit`() throws {
    try withNotebook { notesStore, _ in
      for _ in 0..<1_500 {
        try notesStore.insert("Note", ["title": String(repeating: "x", count: 100)])
      }
      try notesStore.save()
      let amount = try notesStore.requiredLedger.outbox.pendingAmount(measuringBytes: true)
      #expect(amount.insertions == 1_500)
      #expect(amount.count == 1_500)
      #expect((150_000...180_000).contains(amount.bytes), "\(amount.bytes)")
    }
  }

  @Test func `The bytes of long values are counted without reading them`() throws {
    try withTemporaryDirectory { folder in
      var sketch = ModelSketch()
      sketch.entity(
        "Film",
        [
          ModelSketch.attribute("title", .stringAttributeType),
          ModelSketch.attribute("data", .binaryDataAttributeType),
        ])
      let notesStore = try NotesStore(
        at: folder.appendingPathComponent("Films.sqlite"), sketch.model)
      let film = try notesStore.insert(
        "Film", ["title": "Métropolis", "data": Data(count: 4 << 20)])
      try notesStore.save()
      let layout = notesStore.store.layouts[notesStore.key(film).layoutIndex]
      let entity = try #require(notesStore.store.schema.entity(layout))
      let sql = try #require(Outbox.measuring(entity))
      let connection = try notesStore.outsider()
      let size = try connection.value(sql, [.integer(notesStore.key(film).key)])
      #expect(size == .integer(Int64(4 << 20) + 11))
      #expect(connection.pageReads < 50, "\(connection.pageReads) pages were read.")
      #expect(
        try notesStore.requiredLedger.outbox.pendingAmount(measuringBytes: true).bytes
          == Int64(4 << 20) + 11)
      try notesStore.close()
    }
  }

  @Test func `A save's changes are read together unless they exceed the limit`() throws {
    try withNotebook { notesStore, _ in
      for count in [2, 3, 6] {
        for _ in 0..<count { try notesStore.insert("Note") }
        try notesStore.save()
      }
      let ledger = try notesStore.requiredLedger
      let first = try ledger.outbox.nextGroups(limit: 4)
      #expect(first.entries.map(\.group) == [1, 1])
      #expect(!first.cutsGroup)
      let second = try ledger.outbox.nextGroups(after: first.next, limit: 4)
      #expect(second.entries.map(\.group) == [2, 2, 2])
      let third = try ledger.outbox.nextGroups(after: second.next, limit: 4)
      #expect(third.entries.map(\.group) == [3, 3, 3, 3])
      #expect(third.cutsGroup)
      let last = try ledger.outbox.nextGroups(after: third.next, limit: 4)
      #expect(last.entries.count == 2)
      #expect(last.next == nil)
      #expect(try ledger.outbox.nextGroups(limit: 5).entries.count == 5)
      #expect(try ledger.outbox.nextGroups(limit: 11).next == nil)
    }
  }

  @Test func `Record names that one save creates have a common prefix`() throws {
    try withNotebook { notesStore, _ in
      for _ in 0..<300 { try notesStore.insert("Note") }
      try notesStore.save()
      let names = try notesStore.entries().map(\.record.recordName)
      #expect(Set(names).count == 300)
      #expect(Set(names.map { $0.prefix(23) }).count == 1)
      #expect(names.allSatisfy { UUID(uuidString: $0)?.uuidString == $0 })
    }
  }

  @Test func `The conflict journal keeps its newest entries`() throws {
    try withNotebook { notesStore, _ in
      let (note, ledger) = (try notesStore.insert("Note"), try notesStore.requiredLedger)
      try notesStore.save()
      let most = Int(LedgerLimits.journalEntries)
      let entries = (1...most + 20).map { number in
        JournalEntry(
          date: Date(timeIntervalSinceReferenceDate: Double(number)), object: notesStore.key(note),
          property: "title",
          kept: nil, overwritten: nil, keptIsOurs: true, author: nil)
      }
      try ledger.note(entries)
      let kept = try ledger.journal(limit: .max)
      #expect(kept.count == most)
      #expect(kept.first?.number == Int64(most + 20))
      #expect(kept.last?.number == 21)
      #expect(try ledger.journal(before: 23, limit: 9).map(\.number) == [22, 21])
    }
  }

  @Test func `Only the newest events are kept`() throws {
    try withNotebook { notesStore, _ in
      let (ledger, most) = (try notesStore.requiredLedger, Int(LedgerLimits.events))
      let events = (1...most + 20).map { number in
        LedgerEvent(
          identifier: UUID(), type: 0, start: Date(timeIntervalSinceReferenceDate: Double(number)))
      }
      for event in events { try ledger.note(event) }
      #expect(try ledger.events() == Array(events.suffix(most)))
    }
  }
}
