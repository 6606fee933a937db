import CloudRecords
import Foundation
import ManagedObjects
import MirrorLedger
import MirrorModel
import ObjectRows
import SQLiteDriver
import SQLiteStore
import TestSupport
import Testing

/// Tests of the stored number of the latest transaction in the outbox.
///
/// A transaction that its own save has already coalesced is not read from the history again.
struct NotedTransactionTests {
  private func storedNumber(_ outsider: Connection) throws -> Value? {
    try outsider.value("SELECT value FROM PHM_STATE WHERE name = 'noted'")
  }

  @Test
  func `A save with pending entries writes no transaction number; the sender does`() throws {
    try withNotebook { notesStore, _ in
      let outsider = try notesStore.outsider()
      let before = try storedNumber(outsider)
      let note = try notesStore.insert("Note")
      try notesStore.save()
      note.setValue("Two", forKey: "title")
      try notesStore.save()
      #expect(try storedNumber(outsider) == before)
      #expect(try LedgerSummary(outsider)?.notedTransaction == 2)
      try notesStore.settle()
      #expect(try storedNumber(outsider) == .integer(2))
      #expect(try LedgerSummary(outsider)?.notedTransaction == 2)
      // A group that was never sent is dropped.
      let other = try notesStore.insert("Note")
      try notesStore.save()
      notesStore.context.delete(other)
      try notesStore.save()
      #expect(try notesStore.waiting().isEmpty)
      #expect(try LedgerSummary(outsider)?.notedTransaction == 4)
    }
  }

  @Test(arguments: 0..<8)
  func `The transaction number is the history's, whatever happens to pending entries`(round: Int)
    throws
  {
    var random = SeededGenerator.forTest()
    let seed = random.seed
    try withNotebook { notesStore, _ in
      let outsider = try notesStore.outsider()
      var trace: [String] = []
      for _ in 0..<60 {
        let notes = try notesStore.find("Note").sorted { $0.objectID.key < $1.objectID.key }
        let tags = try notesStore.find("Tag").sorted { $0.objectID.key < $1.objectID.key }
        let step = Int.random(in: 0..<9, using: &random)
        trace.append("\(step)")
        switch step {
        case 0: try notesStore.insert("Note")
        case 1: try notesStore.insert("Tag")
        case 2: notes.randomElement(using: &random)?.setValue("\(random.next())", forKey: "title")
        case 3:
          if let note = notes.randomElement(using: &random) { notesStore.context.delete(note) }
        // Memberships alone create no transaction.
        case 4:
          let some = tags.filter { _ in Bool.random(using: &random) }
          notes.randomElement(using: &random)?.setValue(NSSet(array: some), forKey: "tags")
        case 5: try notesStore.settle()
        case 6:
          let entries = try notesStore.entries()
          try notesStore.requiredLedger.outbox.recordSending(
            Array(entries.prefix(entries.count / 2)))
          try notesStore.acknowledge(Array(entries.prefix(entries.count / 2)))
        case 7: try notesStore.requiredLedger.sharedZones.forget(NotesStore.zone)
        default: try notesStore.requiredLedger.requeueAll(NotesStore.zone)
        }
        try notesStore.save()
        let latest = try notesStore.store.latestHistoryNumber()
        #expect(
          try LedgerSummary(outsider)?.notedTransaction == latest,
          "seed \(seed), round \(round): \(trace)")
      }
    }
  }
}
