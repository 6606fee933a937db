import CloudRecords
import Foundation
import ManagedObjects
import MirrorLedger
import MirrorModel
import ObjectRows
import SQLiteStore
import TestSupport
import Testing

/// Pairs of many-to-many relationships in the outbox.
struct PairTests {
  private func tagged(_ notesStore: NotesStore) throws -> (
    note: NSManagedObject, tag: NSManagedObject
  ) {
    let (note, tag) = (try notesStore.insert("Note"), try notesStore.insert("Tag"))
    try notesStore.save()
    try notesStore.settle()
    note.setValue(NSSet(array: [tag]), forKey: "tags")
    try notesStore.save()
    return (note, tag)
  }

  @Test
  func `A new pair is the only pending entry, because its objects have not changed`() throws {
    try withNotebook { notesStore, _ in
      _ = try tagged(notesStore)
      #expect(try notesStore.waiting().count == 1)
      guard case .pair(let pair)? = try notesStore.entries().first?.subject else {
        Issue.record("No pair is pending.")
        return
      }
      #expect(
        Set([pair.relationship, pair.entity]).isSubset(of: ["tags", "Note", "notes", "Tag"]))
      #expect([pair.first.key, pair.second.key] == [1, 1])
    }
  }

  @Test(arguments: ["tags", "notes"])
  func `A pair is the same from both sides`(side: String) throws {
    try withNotebook { notesStore, _ in
      let (note, tag) = try tagged(notesStore)
      let first = try notesStore.entries().map(\.record)
      try notesStore.settle()
      let owner = side == "tags" ? note : tag
      owner.setValue(NSSet(), forKey: side)
      try notesStore.save()
      #expect(try notesStore.entries().map(\.kind) == [.deletion])
      #expect(try notesStore.entries().map(\.record) == first)
      // It returns before its deletion was sent.
      let (member, inverse) = side == "tags" ? (note, "tags") : (tag, "notes")
      member.setValue(NSSet(array: [side == "tags" ? tag : note]), forKey: inverse)
      try notesStore.save()
      #expect(try notesStore.waiting().isEmpty)
    }
  }

  @Test func `A pair that returns while its deletion is in flight is created again`() throws {
    try withNotebook { notesStore, _ in
      let (note, tag) = try tagged(notesStore)
      try notesStore.settle()
      note.setValue(NSSet(), forKey: "tags")
      try notesStore.save()
      let sent = try notesStore.entries()
      try notesStore.requiredLedger.outbox.recordSending(sent)
      note.setValue(NSSet(array: [tag]), forKey: "tags")
      try notesStore.save()
      try notesStore.acknowledge(sent)
      let entries = try notesStore.entries()
      #expect(entries.map(\.kind) == [.insertion])
      #expect(entries.map(\.tag) == [nil])
      #expect(
        entries.map(\.record) != sent.map(\.record),
        "The server remembers the former name as deleted.")
    }
  }

  @Test func `The pairs of an object are deleted with it`() throws {
    try withNotebook { notesStore, _ in
      let (note, tag) = try tagged(notesStore)
      try notesStore.settle()
      let other = try notesStore.insert("Tag")
      note.setValue(NSSet(array: [tag, other]), forKey: "tags")
      try notesStore.save()
      notesStore.context.delete(note)
      try notesStore.save()
      // The pair that was never sent is dropped.
      #expect(try notesStore.entries().map(\.kind.rawValue).sorted() == [0, 2, 2])
      #expect(try notesStore.waiting().filter { $0.contains("-") }.count == 1)
    }
  }

  @Test func `A self-inverse relationship has one pair for two objects`() throws {
    try withNotebook { notesStore, _ in
      let (one, two) = (try notesStore.insert("Note"), try notesStore.insert("Task"))
      try notesStore.save()
      try notesStore.settle()
      two.setValue(NSSet(array: [one]), forKey: "related")
      try notesStore.save()
      #expect(try notesStore.waiting() == ["insertion Note.related 1-2"])
      try notesStore.settle()
      notesStore.context.delete(two)
      try notesStore.save()
      #expect(try notesStore.waiting() == ["deletion Task/2", "deletion Note.related 1-2"])
    }
  }

  @Test(arguments: [false, true])
  func `A pair of a self-inverse relationship is one row from either side`(
    isReversed: Bool
  ) throws {
    try withNotebook { notesStore, _ in
      let (one, two) = (try notesStore.insert("Note"), try notesStore.insert("Task"))
      try notesStore.save()
      try notesStore.settle()
      let (owner, member) = isReversed ? (two, one) : (one, two)
      owner.setValue(NSSet(array: [member]), forKey: "related")
      try notesStore.save()
      #expect(try notesStore.waiting() == ["insertion Note.related 1-2"])
      try notesStore.settle()
      member.setValue(NSSet(), forKey: "related")
      try notesStore.save()
      #expect(try notesStore.waiting() == ["deletion Note.related 1-2"])
    }
  }

  @Test func `The history reports one pair of a self-inverse relationship`() throws {
    try withNotebook { notesStore, url in
      try notesStore.insert("Note")
      try notesStore.insert("Task")
      try notesStore.save()
      try notesStore.settle()
      let outside = try NotesStore(at: url, mirrors: false)
      let task = try #require(try outside.find("Task").first)
      let note = try #require(try outside.find("Note").first { $0 !== task })
      task.setValue(NSSet(array: [note]), forKey: "related")
      try outside.save()
      try outside.close()
      try notesStore.requiredLedger.catchUp()
      #expect(try notesStore.waiting() == ["insertion Note.related 1-2"])
    }
  }

  @Test
  func `A surplus record can be deleted once the server has the record that replaces it`() throws {
    try withNotebook { notesStore, _ in
      _ = try tagged(notesStore)
      let standing = try #require(try notesStore.entries().first).record.recordName
      let surplus = [
        DeferredItem(
          .surplus, .record(NotesStore.record("SECOND")), dependency: standing),
        DeferredItem(.surplus, .record(NotesStore.record("THIRD"))),
      ]
      #expect(try notesStore.requiredLedger.deletable(surplus) == [surplus[1]])
      try notesStore.settle()
      #expect(try notesStore.requiredLedger.deletable(surplus) == surplus)
    }
  }

  @Test func `A pair's record is found by the pair and by its name`() throws {
    try withNotebook { notesStore, _ in
      _ = try tagged(notesStore)
      let entry = try #require(try notesStore.entries().first)
      guard case .pair(let pair) = entry.subject else {
        Issue.record("No pair is pending.")
        return
      }
      #expect(try notesStore.requiredLedger.records(of: [pair])[pair]?.identifier == entry.record)
      #expect(
        try notesStore.requiredLedger.subjects(of: [entry.record])[entry.record]?.subject
          == entry.subject)
    }
  }
}
