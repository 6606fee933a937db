import CloudMirroring
import CloudRecords
import Foundation
import ManagedObjects
import ObjectRows
import SQLiteDriver
import SQLiteStore
import TestSupport
import Testing

/// Saves that bypass the ledger, and objects that existed before it.
struct ForeignSaveTests {
  /// Saves in the file like a process without mirroring.
  private func elsewhere(_ url: URL, author: String? = nil, _ body: (Notebook) throws -> Void)
    throws
  {
    let other = try Notebook(at: url, mirrors: false)
    try body(other)
    try other.save(author: author)
    try other.close()
  }

  @Test func `Other programs' saves are read from the history before the next save`() throws {
    try withNotebook { notebook, url in
      let note = try notebook.insert("Note")
      let tag = try notebook.insert("Tag")
      try notebook.save()
      try notebook.settle()
      try elsewhere(url) { other in
        let found = try #require(try other.find("Note").first)
        found.setValue("Elsewhere", forKey: "title")
        found.setValue(NSSet(array: try other.find("Tag")), forKey: "tags")
        try other.insert("Task")
      }
      try elsewhere(url) { other in try other.find("Task").forEach(other.context.delete) }
      #expect(try notebook.waiting().isEmpty)
      tag.setValue("word", forKey: "word")
      try notebook.save()
      let waiting = try notebook.waiting()
      #expect(waiting.prefix(1) == ["update Note/1 title"])
      #expect(waiting.last == "update Tag/1 word")
      #expect(waiting.count == 3, "the pair waits too: \(waiting)")
      _ = note
    }
  }

  @Test func `Other programs' saves are read on request`() throws {
    try withNotebook { notebook, url in
      try elsewhere(url) { try $0.insert("Note") }
      try notebook.book.catchUp()
      try notebook.book.catchUp()
      #expect(try notebook.waiting() == ["insertion Note/1"])
    }
  }

  @Test func `Other programs' imports are not sent`() throws {
    try withNotebook { notebook, url in
      try elsewhere(url, author: MirrorNames.importAuthor) { try $0.insert("Note") }
      try notebook.book.catchUp()
      #expect(try notebook.waiting().isEmpty)
    }
  }

  @Test func `Deleting history that was read loses nothing`() throws {
    try withNotebook { notebook, url in
      try elsewhere(url) { try $0.insert("Note") }
      let latest = try notebook.store.latestHistoryNumber()
      #expect(try notebook.store.deleteHistory(.before(latest + 1)) == 1)
      #expect(try notebook.waiting() == ["insertion Note/1"])
      try notebook.insert("Tag")
      try notebook.save()
      #expect(try notebook.waiting() == ["insertion Note/1", "insertion Tag/1"])
    }
  }

  @Test func `If unread history was deleted, everything is sent again`() throws {
    try withNotebook { notebook, url in
      let (one, two) = (try notebook.insert("Note"), try notebook.insert("Note"))
      try notebook.save()
      while try notebook.book.enrol() {}
      try notebook.settle()
      try elsewhere(url) { other in
        let notes = try other.find("Note").sorted { $0.objectID.key < $1.objectID.key }
        notes[0].setValue("Elsewhere", forKey: "title")
        other.context.delete(notes[1])
        try other.insert("Tag")
      }
      let other = try Notebook(at: url, mirrors: false)
      _ = try other.store.deleteHistory(.before(try other.store.latestHistoryNumber() + 1))
      try other.close()
      try notebook.book.catchUp()
      #expect(try !notebook.book.isEnrolled)
      while try notebook.book.enrol() {}
      let kinds = try notebook.entries().map {
        notebook.text($0).split(separator: " ").prefix(2).joined(separator: " ")
      }
      #expect(Set(kinds) == ["update Note/1", "deletion Note/2", "insertion Tag/1"])
      _ = (one, two)
    }
  }

  @Test func `Existing objects are backfilled in steps, once`() throws {
    try withNotebook(mirrors: false) { notebook, _ in
      let tag = try notebook.insert("Tag")
      for number in 1...50 {
        let note = try notebook.insert(number % 2 == 0 ? "Task" : "Note", ["rank": number])
        if number <= 3 { note.setValue(NSSet(array: [tag]), forKey: "tags") }
      }
      try notebook.save()
      try notebook.startMirroring()
      #expect(try notebook.waiting().isEmpty)
      var steps = 0
      while try notebook.book.enrol() { steps += 1 }
      #expect(steps > 1)
      #expect(try notebook.book.isEnrolled)
      let names = try notebook.entries().map(\.record.recordName)
      #expect(names.count == 54)
      #expect(Set(names).count == 54)
      try notebook.settle()
      #expect(try !notebook.book.enrol())
      #expect(try notebook.waiting().isEmpty)
    }
  }

  @Test func `A backfill continues in a later process and includes later saves`() throws {
    try withTemporaryDirectory { folder in
      let url = folder.appendingPathComponent("Notes.sqlite")
      try elsewhere(url) { other in for _ in 0..<10 { try other.insert("Note") } }
      let first = try Notebook(at: url)
      _ = try first.book.enrol()
      let note = try #require(try first.find("Note").first)
      note.setValue("Changed", forKey: "title")
      try first.save()
      try first.close()
      let second = try Notebook(at: url, seed: 2)
      while try second.book.enrol() {}
      #expect(try second.entries().map(\.kind) == Array(repeating: .insertion, count: 10))
      try second.close()
    }
  }
}
