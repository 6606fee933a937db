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

/// Saves that bypass the ledger, and objects that existed before it.
struct ForeignSaveTests {
  /// Saves in the file like a process without mirroring.
  private func elsewhere(_ url: URL, author: String? = nil, _ body: (NotesStore) throws -> Void)
    throws
  {
    let other = try NotesStore(at: url, mirrors: false)
    try body(other)
    try other.save(author: author)
    try other.close()
  }

  @Test func `Other programs' saves are read from the history before the next save`() throws {
    try withNotebook { notesStore, url in
      let note = try notesStore.insert("Note")
      let tag = try notesStore.insert("Tag")
      try notesStore.save()
      try notesStore.settle()
      try elsewhere(url) { other in
        let found = try #require(try other.find("Note").first)
        found.setValue("Elsewhere", forKey: "title")
        found.setValue(NSSet(array: try other.find("Tag")), forKey: "tags")
        try other.insert("Task")
      }
      try elsewhere(url) { other in try other.find("Task").forEach(other.context.delete) }
      #expect(try notesStore.waiting().isEmpty)
      tag.setValue("word", forKey: "word")
      try notesStore.save()
      let waiting = try notesStore.waiting()
      #expect(waiting.prefix(1) == ["update Note/1 title"])
      #expect(waiting.last == "update Tag/1 word")
      #expect(waiting.count == 3, "the pair waits too: \(waiting)")
      _ = note
    }
  }

  @Test func `Other programs' saves are read on request`() throws {
    try withNotebook { notesStore, url in
      try elsewhere(url) { try $0.insert("Note") }
      try notesStore.requiredLedger.catchUp()
      try notesStore.requiredLedger.catchUp()
      #expect(try notesStore.waiting() == ["insertion Note/1"])
    }
  }

  @Test func `Other programs' imports are not sent`() throws {
    try withNotebook { notesStore, url in
      try elsewhere(url, author: MirrorNames.importAuthor) { try $0.insert("Note") }
      try notesStore.requiredLedger.catchUp()
      #expect(try notesStore.waiting().isEmpty)
    }
  }

  @Test func `Deleting unread history loses nothing, because it is read first`() throws {
    try withNotebook { notesStore, url in
      try elsewhere(url) { try $0.insert("Note") }
      let latest = try notesStore.store.latestHistoryNumber()
      #expect(try notesStore.store.deleteHistory(.before(latest + 1)) == 1)
      #expect(try notesStore.waiting() == ["insertion Note/1"])
      try notesStore.insert("Tag")
      try notesStore.save()
      #expect(try notesStore.waiting() == ["insertion Note/1", "insertion Tag/1"])
    }
  }

  @Test func `If unread history was deleted, everything is sent again`() throws {
    try withNotebook { notesStore, url in
      let (one, two) = (try notesStore.insert("Note"), try notesStore.insert("Note"))
      try notesStore.save()
      while try notesStore.requiredLedger.backfill() {}
      try notesStore.settle()
      try elsewhere(url) { other in
        let notes = try other.find("Note").sorted { $0.objectID.key < $1.objectID.key }
        notes[0].setValue("Elsewhere", forKey: "title")
        other.context.delete(notes[1])
        try other.insert("Tag")
      }
      let other = try NotesStore(at: url, mirrors: false)
      _ = try other.store.deleteHistory(.before(try other.store.latestHistoryNumber() + 1))
      try other.close()
      try notesStore.requiredLedger.catchUp()
      #expect(try !notesStore.requiredLedger.isBackfilled)
      while try notesStore.requiredLedger.backfill() {}
      let kinds = try notesStore.entries().map {
        notesStore.text($0).split(separator: " ").prefix(2).joined(separator: " ")
      }
      #expect(Set(kinds) == ["update Note/1", "deletion Note/2", "insertion Tag/1"])
      _ = (one, two)
    }
  }

  @Test func `Existing objects are backfilled in steps, once`() throws {
    try withNotebook(mirrors: false) { notesStore, _ in
      let tag = try notesStore.insert("Tag")
      for number in 1...50 {
        let note = try notesStore.insert(number % 2 == 0 ? "Task" : "Note", ["rank": number])
        if number <= 3 { note.setValue(NSSet(array: [tag]), forKey: "tags") }
      }
      try notesStore.save()
      try notesStore.startMirroring()
      #expect(try notesStore.waiting().isEmpty)
      var steps = 0
      while try notesStore.requiredLedger.backfill() { steps += 1 }
      #expect(steps > 1)
      #expect(try notesStore.requiredLedger.isBackfilled)
      let names = try notesStore.entries().map(\.record.recordName)
      #expect(names.count == 54)
      #expect(Set(names).count == 54)
      try notesStore.settle()
      #expect(try !notesStore.requiredLedger.backfill())
      #expect(try notesStore.waiting().isEmpty)
    }
  }

  @Test func `A backfill continues in a later process and includes later saves`() throws {
    try withTemporaryDirectory { folder in
      let url = folder.appendingPathComponent("Notes.sqlite")
      try elsewhere(url) { other in for _ in 0..<10 { try other.insert("Note") } }
      let first = try NotesStore(at: url)
      _ = try first.requiredLedger.backfill()
      let note = try #require(try first.find("Note").first)
      note.setValue("Changed", forKey: "title")
      try first.save()
      try first.close()
      let second = try NotesStore(at: url, seed: 2)
      while try second.requiredLedger.backfill() {}
      #expect(try second.entries().map(\.kind) == Array(repeating: .insertion, count: 10))
      try second.close()
    }
  }
}
