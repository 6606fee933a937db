import CloudRecords
import Foundation
import ManagedObjects
import MirrorLedger
import MirrorModel
import ObjectRows
import Testing

/// Items that wait for something else, in the table that all kinds share.
@Suite struct DeferredItemTests {
  private func folder(of note: NSManagedObject) throws -> Int {
    try #require(note.objectID.layout.ordinal(of: "folder"))
  }

  @Test func `Items of every kind are read as they were written`() throws {
    try withNotebook { notesStore, _ in
      let note = try notesStore.insert("Note")
      try notesStore.save()
      let (key, ordinal) = (notesStore.key(note), try folder(of: note))
      let record = NotesStore.record("A name that is no UUID")
      for kind in DeferredItem.Kind.allCases {
        let item =
          switch kind {
          case .reference, .contested, .order, .value, .moving:
            DeferredItem(
              kind, .property(key, ordinal: ordinal), in: NotesStore.zone, dependency: "Target",
              reason: "Why", payload: [1, 2])
          case .pair:
            DeferredItem(
              kind, .pair(record, entity: "Note", relationship: "related"), dependency: "Target",
              payload: [3])
          case .unreadable, .sealed, .successor, .ignored, .duplicate, .surplus, .former:
            DeferredItem(kind, .record(record), dependency: "Target", reason: "Why")
          }
        try notesStore.requiredLedger.setDeferred([item])
        #expect(try notesStore.requiredLedger.deferred(kind) == [item])
        #expect(
          try notesStore.requiredLedger.deferred(
            [kind], dependingOn: [item.target].compactMap(\.self))
            == [item])
        try notesStore.requiredLedger.setDeferred([], dropping: [item])
        #expect(try notesStore.requiredLedger.deferred(kind).isEmpty)
      }
    }
  }

  @Test func `A reference waits for one target at a time`() throws {
    try withNotebook { notesStore, _ in
      let note = try notesStore.insert("Note")
      try notesStore.save()
      let (key, ordinal) = (notesStore.key(note), try folder(of: note))
      let (first, second) = (NotesStore.record("One"), NotesStore.record("Two"))
      try notesStore.requiredLedger.setDeferred([.reference(key, ordinal, to: first)])
      let contested = DeferredItem.reference(key, ordinal, to: second, isContested: true)
      try notesStore.requiredLedger.setDeferred([contested])
      #expect(
        try notesStore.requiredLedger.deferred(DeferredItem.Kind.references, of: [key])
          == [contested])
    }
  }

  @Test func `A received record settles its unreadable item and nothing else`() throws {
    try withNotebook { notesStore, _ in
      let items = ["One", "Two"].map {
        DeferredItem(.unreadable, .record(NotesStore.record($0)), reason: "Its file is gone.")
      }
      let surplus = DeferredItem(.surplus, .record(NotesStore.record("One")))
      try notesStore.requiredLedger.setDeferred(items + [surplus])
      var changes = LedgerChanges()
      changes.resolve(DeferredItem.Kind.ofRecords, .record(NotesStore.record("One")))
      try notesStore.requiredLedger.apply(changes)
      #expect(try notesStore.requiredLedger.deferred(.unreadable) == [items[1]])
      #expect(try notesStore.requiredLedger.deferred(.surplus) == [surplus])
    }
  }

  @Test func `Pages of a kind have every item once`() throws {
    try withNotebook { notesStore, _ in
      let items = (0..<10).map {
        DeferredItem(.successor, .record(NotesStore.record("Record \($0)")))
      }
      try notesStore.requiredLedger.setDeferred(items)
      var (found, last): ([DeferredItem], DeferredItem?) = ([], nil)
      repeat {
        let page = try notesStore.requiredLedger.deferred(.successor, after: last, limit: 3)
        (found, last) = (found + page, page.last)
      } while last != nil
      #expect(found == items)
    }
  }

  @Test func `A save drops the deferred items of the properties that it sets`() throws {
    try withNotebook { notesStore, _ in
      let note = try notesStore.insert("Note", ["title": "Former"])
      try notesStore.save()
      let key = notesStore.key(note)
      let title = try #require(note.objectID.layout.ordinal(of: "title"))
      let value = DeferredItem(.value, .property(key, ordinal: title), reason: "No transformer.")
      let reference = DeferredItem.reference(key, try folder(of: note), to: NotesStore.record("F"))
      try notesStore.requiredLedger.setDeferred([value, reference])
      note.setValue("Later", forKey: "title")
      try notesStore.save()
      #expect(
        try notesStore.requiredLedger.deferred([.value, .reference], of: [key]) == [reference])
      notesStore.context.delete(note)
      try notesStore.save()
      #expect(try notesStore.requiredLedger.deferred([.value, .reference], of: [key]).isEmpty)
    }
  }
}
