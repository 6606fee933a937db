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

/// The ledger rows that an import writes together with its save.
struct ImportTests {
  private var tokenChanges: LedgerChanges {
    var changes = LedgerChanges()
    changes.state = [.databaseToken: .text("here")]
    return changes
  }

  private struct Stopped: Error {}

  /// An import whose save fails.
  private func fail(_ ledger: Ledger) throws {
    try ledger.importing(tokenChanges) { () throws -> Void in throw Stopped() }
  }

  @Test func `Only a save by an import is repeated if a power failure loses it`() throws {
    try withNotebook { notesStore, _ in
      let companion = try #require(notesStore.store.companion)
      let expected: [(String?, Bool)] = [
        (MirrorNames.importAuthor, true), ("Clara", false), (nil, false),
      ]
      for (author, repeats) in expected {
        let description = TransactionDescription(
          author: author, contextName: MirrorNames.importAuthor, bundleID: "", processID: "",
          date: Date(timeIntervalSinceReferenceDate: 0))
        #expect(companion.repeats(StoreChanges(transaction: description)) == repeats)
      }
    }
  }

  @Test func `Names, tags, tokens and deferred references are written with the save`() throws {
    try withNotebook { notesStore, _ in
      let note = try notesStore.insert("Note", ["title": "From afar"])
      var changes = LedgerChanges()
      changes.records = [try notesStore.imported(note, "a name that is no UUID")]
      let ordinal = try #require(note.objectID.layout.ordinal(of: "folder"))
      let reference = DeferredItem.reference(
        notesStore.key(note), ordinal, to: NotesStore.record("Folder-1"))
      changes.deferred = [reference]
      changes.zoneTokens = [NotesStore.zone: [1, 2]]
      changes.state = [.databaseToken: .text("here")]
      try notesStore.requiredLedger.importing(changes) {
        try notesStore.save(author: MirrorNames.importAuthor)
      }
      let ledger = try notesStore.requiredLedger
      #expect(try notesStore.waiting().isEmpty)
      let known = try ledger.subjects(of: [NotesStore.record("a name that is no UUID")])
        .values.first
      #expect(known?.subject == .object(notesStore.key(note)))
      #expect(known?.tag == "7")
      #expect(
        try ledger.deferred(
          DeferredItem.Kind.references, dependingOn: [NotesStore.record("Folder-1")])
          == [reference])
      #expect(try ledger.deferredReferenceCount() == 1)
      #expect(try ledger.zoneToken(NotesStore.zone) == [1, 2])
      #expect(try ledger.state(.databaseToken) == .text("here"))
      // The target arrives, and the reference is set.
      var second = LedgerChanges()
      let folder = try notesStore.insert("Folder")
      note.setValue(folder, forKey: "folder")
      second.records = [try notesStore.imported(folder, "Folder-1")]
      second.resolve(reference)
      try ledger.importing(second) { try notesStore.save(author: MirrorNames.importAuthor) }
      #expect(try ledger.deferredReferenceCount() == 0)
      #expect(try notesStore.waiting().isEmpty)
    }
  }

  @Test func `Deleting an object removes its deferred reference`() throws {
    try withNotebook { notesStore, _ in
      let note = try notesStore.insert("Note")
      var changes = LedgerChanges()
      changes.records = [try notesStore.imported(note, "N")]
      let ordinal = try #require(note.objectID.layout.ordinal(of: "folder"))
      changes.deferred = [
        .reference(notesStore.key(note), ordinal, to: NotesStore.record("Folder-1"))
      ]
      try notesStore.requiredLedger.importing(changes) {
        try notesStore.save(author: MirrorNames.importAuthor)
      }
      #expect(try notesStore.requiredLedger.deferredReferenceCount() == 1)
      notesStore.context.delete(note)
      try notesStore.save()
      #expect(try notesStore.requiredLedger.deferredReferenceCount() == 0)
    }
  }

  @Test func `A failed save leaves the ledger unchanged`() throws {
    try withNotebook { notesStore, _ in
      let ledger = try notesStore.requiredLedger
      #expect(throws: Stopped.self) { try fail(ledger) }
      #expect(try notesStore.requiredLedger.state(.databaseToken) == nil)
    }
  }

  @Test func `An import without objects to save still writes its changes`() throws {
    try withNotebook { notesStore, _ in
      let changes = tokenChanges
      try notesStore.requiredLedger.importing(changes) {
        try notesStore.save(author: MirrorNames.importAuthor)
      }
      #expect(try notesStore.requiredLedger.state(.databaseToken) == .text("here"))
    }
  }

  @Test func `Settled entries leave the outbox, and the others stay`() throws {
    try withNotebook { notesStore, _ in
      let note = try notesStore.insert("Note")
      try notesStore.save()
      try notesStore.settle()
      note.setValue("Ours", forKey: "title")
      note.setValue("Ours", forKey: "body")
      try notesStore.save()
      let name = try #require(try notesStore.entries().first).record.recordName
      let title = try #require(note.objectID.layout.ordinal(of: "title"))
      note.setValue("Theirs", forKey: "title")
      var changes = LedgerChanges()
      changes.records = [
        try notesStore.imported(note, name, settled: .properties(OrdinalSet([title])))
      ]
      changes.journal = [
        JournalEntry(
          date: Date(timeIntervalSinceReferenceDate: 5), object: notesStore.key(note),
          property: "title", kept: [2],
          overwritten: [1], keptIsOurs: false, author: "_somebody")
      ]
      try notesStore.requiredLedger.importing(changes) {
        try notesStore.save(author: MirrorNames.importAuthor)
      }
      #expect(try notesStore.waiting() == ["update Note/1 body"])
      #expect(try notesStore.entries().first?.tag == "7")
      let entry = try #require(try notesStore.requiredLedger.journal(limit: 10).first)
      #expect(entry.overwritten == [1])
      try notesStore.requiredLedger.setUndone(true, entry.number)
      #expect(try notesStore.requiredLedger.journal(limit: 10).map(\.isUndone) == [true])
      changes = LedgerChanges()
      changes.records = [try notesStore.imported(note, name, tag: "8", settled: .everything)]
      try notesStore.requiredLedger.apply(changes)
      #expect(try notesStore.waiting().isEmpty)
    }
  }

  @Test
  func `An insertion that the server already has becomes an update with later changes`() throws {
    try withNotebook { notesStore, _ in
      let note = try notesStore.insert("Note", ["title": "Ours"])
      try notesStore.save()
      note.setValue("Before", forKey: "body")
      try notesStore.save()
      let entry = try #require(try notesStore.entries().first)
      try notesStore.requiredLedger.outbox.recordSending([entry])
      note.setValue(7, forKey: "rank")
      note.setValue("Since", forKey: "title")
      try notesStore.save()
      let key = notesStore.key(note)
      let row = try notesStore.requiredLedger.records(of: [key])[key]
      let layout = note.objectID.layout
      let ours = try ["title", "rank"].map { try #require(layout.ordinal(of: $0)) }
      #expect(row?.pending == .insertion && row?.changed == OrdinalSet(ours))
      var changes = LedgerChanges()
      changes.records = [
        try notesStore.imported(
          note, entry.record.recordName, settled: .properties(OrdinalSet([ours[1]])))
      ]
      try notesStore.requiredLedger.apply(changes)
      #expect(try notesStore.waiting() == ["update Note/1 title"])
      changes.records = [
        try notesStore.imported(
          note, entry.record.recordName, settled: .properties(OrdinalSet([ours[0]])))
      ]
      try notesStore.requiredLedger.apply(changes)
      #expect(try notesStore.waiting().isEmpty)
    }
  }

  @Test func `A remote deletion wins over an update`() throws {
    try withNotebook { notesStore, _ in
      let note = try notesStore.insert("Note")
      try notesStore.save()
      try notesStore.settle()
      note.setValue("Ours", forKey: "title")
      try notesStore.save()
      notesStore.context.delete(note)
      var changes = LedgerChanges()
      changes.deleted = [.object(notesStore.key(note))]
      try notesStore.requiredLedger.importing(changes) {
        try notesStore.save(author: MirrorNames.importAuthor)
      }
      #expect(try notesStore.waiting().isEmpty)
    }
  }

  @Test func `Deletions by a delete rule beyond the import are enqueued`() throws {
    try withNotebook { notesStore, _ in
      let (folder, note) = (try notesStore.insert("Folder"), try notesStore.insert("Note"))
      note.setValue(folder, forKey: "folder")
      try notesStore.save()
      try notesStore.settle()
      notesStore.context.delete(folder)
      var changes = LedgerChanges()
      changes.deleted = [.object(notesStore.key(folder))]
      try notesStore.requiredLedger.importing(changes) {
        try notesStore.save(author: MirrorNames.importAuthor)
      }
      #expect(try notesStore.waiting() == ["deletion Note/1"])
    }
  }

  @Test func `Join records are deferred until both ends arrive, and are found by either`() throws {
    try withNotebook { notesStore, _ in
      let pair = DeferredPair(
        record: NotesStore.record("Join"), tag: "1", systemFields: nil, entity: "Note",
        relationship: "related",
        first: NotesStore.record("One"), second: NotesStore.record("Two"))
      var changes = LedgerChanges()
      changes.deferred = pair.items
      try notesStore.requiredLedger.apply(changes)
      for end in ["One", "Two"] {
        let found = try notesStore.requiredLedger.deferred(
          [.pair], dependingOn: [NotesStore.record(end)])
        #expect(found.map(DeferredPair.init) == [pair])
      }
      let (one, two) = (try notesStore.insert("Note"), try notesStore.insert("Note"))
      one.setValue(NSSet(array: [two]), forKey: "related")
      changes = LedgerChanges()
      changes.resolve([.pair], .record(NotesStore.record("Join")))
      changes.records = [try notesStore.imported(one, "One"), try notesStore.imported(two, "Two")]
      let key = PairKey(
        entity: "Note", relationship: "related", first: notesStore.key(one),
        second: notesStore.key(two)
      )
      changes.records.append(
        LedgerChanges.Record(.pair(key), NotesStore.record("Join"), tag: "1", systemFields: nil))
      try notesStore.requiredLedger.importing(changes) {
        try notesStore.save(author: MirrorNames.importAuthor)
      }
      #expect(try notesStore.waiting().isEmpty)
      #expect(try notesStore.requiredLedger.deferredReferenceCount() == 0)
      #expect(
        try notesStore.requiredLedger.records(of: [key])[key]?.identifier
          == NotesStore.record("Join"))
    }
  }

  @Test func `An imported object takes over a record name from another object`() throws {
    try withNotebook { notesStore, _ in
      let (one, two) = (try notesStore.insert("Note"), try notesStore.insert("Note"))
      var changes = LedgerChanges()
      changes.records = [try notesStore.imported(one, "Name")]
      try notesStore.requiredLedger.importing(changes) {
        try notesStore.save(author: MirrorNames.importAuthor)
      }
      changes.records = [try notesStore.imported(two, "Name", tag: "8")]
      try notesStore.requiredLedger.apply(changes)
      #expect(
        try notesStore.requiredLedger.subjects(of: [NotesStore.record("Name")])
          .values.first?.subject == .object(notesStore.key(two)))
      #expect(try notesStore.requiredLedger.records(of: [notesStore.key(one)]).isEmpty)
    }
  }

  @Test func `An import that lost a race with another process fails as outdated`() throws {
    try withNotebook { notesStore, url in
      // Another coordinator over the same file represents another process.
      let other = try NotesStore(at: url, seed: 2)
      let (ours, theirs) = (try notesStore.insert("Note"), try other.insert("Note"))
      var changes = LedgerChanges()
      changes.records = [try other.imported(theirs, "Name", isNew: true)]
      try other.requiredLedger.importing(changes) {
        try other.save(author: MirrorNames.importAuthor)
      }
      changes.records = [try notesStore.imported(ours, "Name", isNew: true)]
      #expect(throws: LedgerOutdated.self) {
        try notesStore.requiredLedger.importing(changes) {
          try notesStore.save(author: MirrorNames.importAuthor)
        }
      }
      notesStore.context.rollback()
      #expect(try notesStore.find("Note").count == 1, "Only the other process's object exists.")
      let known = try notesStore.requiredLedger.subjects(of: [NotesStore.record("Name")])
      #expect(known.values.first?.subject == .object(other.key(theirs)))
      #expect(try notesStore.waiting().isEmpty)
      try other.close()
    }
  }

  @Test func `A ledger that is closed during an import's save records the saved objects`() throws {
    try withNotebook { notesStore, url in
      let note = try notesStore.insert("Note")
      var changes = LedgerChanges()
      changes.records = [try notesStore.imported(note, "Name")]
      let ledger = try notesStore.requiredLedger
      let outsider = try notesStore.outsider()
      try ledger.importing(changes) {
        ledger.close()
        try notesStore.save(author: MirrorNames.importAuthor)
        // One transaction writes the objects and the ledger, so a crash cannot separate them.
        #expect(try outsider.value("SELECT count(*) FROM PHM_OBJECT") == .integer(1))
      }
      #expect(notesStore.store.companion == nil)
      #expect(try outsider.value("SELECT value FROM PHM_STATE WHERE name = 'noted'") == .integer(1))
    }
  }
}
