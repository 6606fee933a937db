import CloudMirroring
import CloudRecords
import Foundation
import ManagedObjects
import ObjectRows
import SQLiteDriver
import SQLiteStore
import TestSupport
import Testing

/// What an import writes to the ledger together with its save.
struct ImportTests {
  private var tokenChanges: LedgerChanges {
    var changes = LedgerChanges()
    changes.state = [.databaseToken: .text("here")]
    return changes
  }

  private struct Stopped: Error {}

  /// An import whose save fails.
  private func fail(_ book: Ledger) throws {
    try book.importing(tokenChanges) { () throws -> Void in throw Stopped() }
  }

  @Test func `Names, tags, tokens and deferred references are written with the save`() throws {
    try withNotebook { notebook, _ in
      let note = try notebook.insert("Note", ["title": "From afar"])
      var changes = LedgerChanges()
      changes.records = [try notebook.imported(note, "a name that is no UUID")]
      let ordinal = try #require(note.objectID.layout.ordinal(of: "folder"))
      let parked = ParkedReference(
        source: notebook.key(note), ordinal: ordinal, target: Notebook.record("Folder-1"))
      changes.parked = [parked]
      changes.zoneTokens = [Notebook.zone: [1, 2]]
      changes.state = [.databaseToken: .text("here")]
      try notebook.book.importing(changes) { try notebook.save(author: MirrorNames.importAuthor) }
      let book = try notebook.book
      #expect(try notebook.waiting().isEmpty)
      let known = try book.subjects(of: [Notebook.record("a name that is no UUID")]).values.first
      #expect(known?.subject == .object(notebook.key(note)))
      #expect(known?.tag == "7")
      #expect(try book.parkedReferences(to: [Notebook.record("Folder-1")]) == [parked])
      #expect(try book.parkedCount() == 1)
      #expect(try book.zones() == [Notebook.zone: [1, 2]])
      #expect(try book.state(.databaseToken) == .text("here"))
      // The target arrives, and the reference is set.
      var second = LedgerChanges()
      let folder = try notebook.insert("Folder")
      note.setValue(folder, forKey: "folder")
      second.records = [try notebook.imported(folder, "Folder-1")]
      second.unparked = [parked]
      try book.importing(second) { try notebook.save(author: MirrorNames.importAuthor) }
      #expect(try book.parkedCount() == 0)
      #expect(try notebook.waiting().isEmpty)
    }
  }

  @Test func `A deferred reference ends with its object`() throws {
    try withNotebook { notebook, _ in
      let note = try notebook.insert("Note")
      var changes = LedgerChanges()
      changes.records = [try notebook.imported(note, "N")]
      let ordinal = try #require(note.objectID.layout.ordinal(of: "folder"))
      changes.parked = [
        ParkedReference(
          source: notebook.key(note), ordinal: ordinal, target: Notebook.record("Folder-1"))
      ]
      try notebook.book.importing(changes) { try notebook.save(author: MirrorNames.importAuthor) }
      #expect(try notebook.book.parkedCount() == 1)
      notebook.context.delete(note)
      try notebook.save()
      #expect(try notebook.book.parkedCount() == 0)
    }
  }

  @Test func `A failed save leaves the ledger unchanged`() throws {
    try withNotebook { notebook, _ in
      let book = try notebook.book
      #expect(throws: Stopped.self) { try fail(book) }
      #expect(try notebook.book.state(.databaseToken) == nil)
    }
  }

  @Test func `An import without objects to save still writes its changes`() throws {
    try withNotebook { notebook, _ in
      let changes = tokenChanges
      try notebook.book.importing(changes) { try notebook.save(author: MirrorNames.importAuthor) }
      #expect(try notebook.book.state(.databaseToken) == .text("here"))
    }
  }

  @Test func `Settled entries leave the outbox, and the others stay`() throws {
    try withNotebook { notebook, _ in
      let note = try notebook.insert("Note")
      try notebook.save()
      try notebook.settle()
      note.setValue("Ours", forKey: "title")
      note.setValue("Ours", forKey: "body")
      try notebook.save()
      let name = try #require(try notebook.entries().first).record.recordName
      let title = try #require(note.objectID.layout.ordinal(of: "title"))
      note.setValue("Theirs", forKey: "title")
      var changes = LedgerChanges()
      changes.records = [
        try notebook.imported(note, name, settled: .properties(OrdinalSet([title])))
      ]
      changes.journal = [
        JournalEntry(
          date: Date(timeIntervalSinceReferenceDate: 5), object: notebook.key(note),
          property: "title", kept: [2],
          overwritten: [1], keptIsOurs: false, author: "_somebody")
      ]
      try notebook.book.importing(changes) { try notebook.save(author: MirrorNames.importAuthor) }
      #expect(try notebook.waiting() == ["update Note/1 body"])
      #expect(try notebook.entries().first?.tag == "7")
      let entry = try #require(try notebook.book.journal(limit: 10).first)
      #expect(entry.overwritten == [1])
      try notebook.book.setUndone(true, entry.number)
      #expect(try notebook.book.journal(limit: 10).map(\.isUndone) == [true])
      changes = LedgerChanges()
      changes.records = [try notebook.imported(note, name, tag: "8", settled: .everything)]
      try notebook.book.apply(changes)
      #expect(try notebook.waiting().isEmpty)
    }
  }

  @Test
  func `An insertion that the server already has becomes an update with later changes`() throws {
    try withNotebook { notebook, _ in
      let note = try notebook.insert("Note", ["title": "Ours"])
      try notebook.save()
      note.setValue("Before", forKey: "body")
      try notebook.save()
      let entry = try #require(try notebook.entries().first)
      try notebook.book.noteSending([entry])
      note.setValue(7, forKey: "rank")
      note.setValue("Since", forKey: "title")
      try notebook.save()
      let row = try notebook.book.records(of: [notebook.key(note)])[notebook.key(note)]
      let layout = note.objectID.layout
      let ours = try ["title", "rank"].map { try #require(layout.ordinal(of: $0)) }
      #expect(row?.pending == .insertion && row?.changed == OrdinalSet(ours))
      var changes = LedgerChanges()
      changes.records = [
        try notebook.imported(
          note, entry.record.recordName, settled: .properties(OrdinalSet([ours[1]])))
      ]
      try notebook.book.apply(changes)
      #expect(try notebook.waiting() == ["update Note/1 title"])
      changes.records = [
        try notebook.imported(
          note, entry.record.recordName, settled: .properties(OrdinalSet([ours[0]])))
      ]
      try notebook.book.apply(changes)
      #expect(try notebook.waiting().isEmpty)
    }
  }

  @Test func `A remote deletion wins over an update`() throws {
    try withNotebook { notebook, _ in
      let note = try notebook.insert("Note")
      try notebook.save()
      try notebook.settle()
      note.setValue("Ours", forKey: "title")
      try notebook.save()
      notebook.context.delete(note)
      var changes = LedgerChanges()
      changes.deleted = [.object(notebook.key(note))]
      try notebook.book.importing(changes) { try notebook.save(author: MirrorNames.importAuthor) }
      #expect(try notebook.waiting().isEmpty)
    }
  }

  @Test func `Objects that a delete rule removes beyond the import are sent`() throws {
    try withNotebook { notebook, _ in
      let (folder, note) = (try notebook.insert("Folder"), try notebook.insert("Note"))
      note.setValue(folder, forKey: "folder")
      try notebook.save()
      try notebook.settle()
      notebook.context.delete(folder)
      var changes = LedgerChanges()
      changes.deleted = [.object(notebook.key(folder))]
      try notebook.book.importing(changes) { try notebook.save(author: MirrorNames.importAuthor) }
      #expect(try notebook.waiting() == ["deletion Note/1"])
    }
  }

  @Test func `Join records wait for both ends, and are found by either`() throws {
    try withNotebook { notebook, _ in
      let pair = ParkedPair(
        record: Notebook.record("Join"), tag: "1", systemFields: nil, entity: "Note",
        relationship: "related",
        first: Notebook.record("One"), second: Notebook.record("Two"))
      var changes = LedgerChanges()
      changes.parkedPairs = [pair]
      try notebook.book.apply(changes)
      #expect(try notebook.book.parkedPairs(for: [Notebook.record("One")]) == [pair])
      #expect(
        try notebook.book.parkedPairs(for: [Notebook.record("Two"), Notebook.record("One")]) == [
          pair
        ])
      let (one, two) = (try notebook.insert("Note"), try notebook.insert("Note"))
      one.setValue(NSSet(array: [two]), forKey: "related")
      changes = LedgerChanges()
      changes.unparkedPairs = [Notebook.record("Join")]
      changes.records = [try notebook.imported(one, "One"), try notebook.imported(two, "Two")]
      let key = PairKey(
        entity: "Note", relationship: "related", first: notebook.key(one), second: notebook.key(two)
      )
      changes.records.append(
        LedgerChanges.Record(.pair(key), Notebook.record("Join"), tag: "1", systemFields: nil))
      try notebook.book.importing(changes) { try notebook.save(author: MirrorNames.importAuthor) }
      #expect(try notebook.waiting().isEmpty)
      #expect(try notebook.book.parkedCount() == 0)
      #expect(try notebook.book.records(of: [key])[key]?.identifier == Notebook.record("Join"))
    }
  }

  @Test func `A name used for another object moves to the object of the import`() throws {
    try withNotebook { notebook, _ in
      let (one, two) = (try notebook.insert("Note"), try notebook.insert("Note"))
      var changes = LedgerChanges()
      changes.records = [try notebook.imported(one, "Name")]
      try notebook.book.importing(changes) { try notebook.save(author: MirrorNames.importAuthor) }
      changes.records = [try notebook.imported(two, "Name", tag: "8")]
      try notebook.book.apply(changes)
      #expect(
        try notebook.book.subjects(of: [Notebook.record("Name")]).values.first?.subject
          == .object(notebook.key(two)))
      #expect(try notebook.book.records(of: [notebook.key(one)]).isEmpty)
    }
  }

  @Test func `An import that lost a race with another process reads again`() throws {
    try withNotebook { notebook, url in
      // Another coordinator over the same file represents another process.
      let other = try Notebook(at: url, seed: 2)
      let (ours, theirs) = (try notebook.insert("Note"), try other.insert("Note"))
      var changes = LedgerChanges()
      changes.records = [try other.imported(theirs, "Name", isNew: true)]
      try other.book.importing(changes) { try other.save(author: MirrorNames.importAuthor) }
      changes.records = [try notebook.imported(ours, "Name", isNew: true)]
      #expect(throws: LedgerOutdated.self) {
        try notebook.book.importing(changes) { try notebook.save(author: MirrorNames.importAuthor) }
      }
      notebook.context.rollback()
      #expect(try notebook.find("Note").count == 1, "No other object is known.")
      let known = try notebook.book.subjects(of: [Notebook.record("Name")])
      #expect(known.values.first?.subject == .object(other.key(theirs)))
      #expect(try notebook.waiting().isEmpty)
      try other.close()
    }
  }

  @Test func `A ledger that is closed during an import's save knows what was saved`() throws {
    try withNotebook { notebook, url in
      let note = try notebook.insert("Note")
      var changes = LedgerChanges()
      changes.records = [try notebook.imported(note, "Name")]
      let book = try notebook.book
      let outsider = try notebook.outsider()
      try book.importing(changes) {
        book.close()
        try notebook.save(author: MirrorNames.importAuthor)
        // Both are in one transaction, so a program cannot end between them.
        #expect(try outsider.value("SELECT count(*) FROM PHM_OBJECT") == .integer(1))
      }
      #expect(notebook.store.companion == nil)
      #expect(try outsider.value("SELECT value FROM PHM_STATE WHERE name = 'noted'") == .integer(1))
    }
  }
}
