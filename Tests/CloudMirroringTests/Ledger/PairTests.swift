import CloudMirroring
import CloudRecords
import Foundation
import ManagedObjects
import ObjectRows
import SQLiteStore
import TestSupport
import Testing

/// Pairs of many-to-many relationships in the outbox.
struct PairTests {
  private func tagged(_ notebook: Notebook) throws -> (note: NSManagedObject, tag: NSManagedObject)
  {
    let (note, tag) = (try notebook.insert("Note"), try notebook.insert("Tag"))
    try notebook.save()
    try notebook.settle()
    note.setValue(NSSet(array: [tag]), forKey: "tags")
    try notebook.save()
    return (note, tag)
  }

  @Test func `A new pair waits alone, because the objects have not changed`() throws {
    try withNotebook { notebook, _ in
      _ = try tagged(notebook)
      #expect(try notebook.waiting().count == 1)
      guard case .pair(let pair)? = try notebook.entries().first?.subject else {
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
    try withNotebook { notebook, _ in
      let (note, tag) = try tagged(notebook)
      let first = try notebook.entries().map(\.record)
      try notebook.settle()
      let owner = side == "tags" ? note : tag
      owner.setValue(NSSet(), forKey: side)
      try notebook.save()
      #expect(try notebook.entries().map(\.kind) == [.deletion])
      #expect(try notebook.entries().map(\.record) == first)
      // It returns before its deletion was sent.
      let (member, inverse) = side == "tags" ? (note, "tags") : (tag, "notes")
      member.setValue(NSSet(array: [side == "tags" ? tag : note]), forKey: inverse)
      try notebook.save()
      #expect(try notebook.waiting().isEmpty)
    }
  }

  @Test func `A pair that returns while its deletion is in flight is created again`() throws {
    try withNotebook { notebook, _ in
      let (note, tag) = try tagged(notebook)
      try notebook.settle()
      note.setValue(NSSet(), forKey: "tags")
      try notebook.save()
      let sent = try notebook.entries()
      try notebook.book.noteSending(sent)
      note.setValue(NSSet(array: [tag]), forKey: "tags")
      try notebook.save()
      try notebook.acknowledge(sent)
      let entries = try notebook.entries()
      #expect(entries.map(\.kind) == [.insertion])
      #expect(entries.map(\.tag) == [nil])
      #expect(
        entries.map(\.record) != sent.map(\.record),
        "The server remembers the former name as deleted.")
    }
  }

  @Test func `The pairs of an object are deleted with it`() throws {
    try withNotebook { notebook, _ in
      let (note, tag) = try tagged(notebook)
      try notebook.settle()
      let other = try notebook.insert("Tag")
      note.setValue(NSSet(array: [tag, other]), forKey: "tags")
      try notebook.save()
      notebook.context.delete(note)
      try notebook.save()
      // The pair that was never sent is dropped.
      #expect(try notebook.entries().map(\.kind.rawValue).sorted() == [0, 2, 2])
      #expect(try notebook.waiting().filter { $0.contains("-") }.count == 1)
    }
  }

  @Test func `A self-inverse relationship has one pair for two objects`() throws {
    try withNotebook { notebook, _ in
      let (one, two) = (try notebook.insert("Note"), try notebook.insert("Task"))
      try notebook.save()
      try notebook.settle()
      two.setValue(NSSet(array: [one]), forKey: "related")
      try notebook.save()
      #expect(try notebook.waiting() == ["insertion Note.related 1-2"])
      try notebook.settle()
      notebook.context.delete(two)
      try notebook.save()
      #expect(try notebook.waiting() == ["deletion Task/2", "deletion Note.related 1-2"])
    }
  }

  @Test(arguments: [false, true])
  func `A pair of a self-inverse relationship is one row from either side`(
    isReversed: Bool
  ) throws {
    try withNotebook { notebook, _ in
      let (one, two) = (try notebook.insert("Note"), try notebook.insert("Task"))
      try notebook.save()
      try notebook.settle()
      let (owner, member) = isReversed ? (two, one) : (one, two)
      owner.setValue(NSSet(array: [member]), forKey: "related")
      try notebook.save()
      #expect(try notebook.waiting() == ["insertion Note.related 1-2"])
      try notebook.settle()
      member.setValue(NSSet(), forKey: "related")
      try notebook.save()
      #expect(try notebook.waiting() == ["deletion Note.related 1-2"])
    }
  }

  @Test func `The history reports one pair of a self-inverse relationship`() throws {
    try withNotebook { notebook, url in
      try notebook.insert("Note")
      try notebook.insert("Task")
      try notebook.save()
      try notebook.settle()
      let outside = try Notebook(at: url, mirrors: false)
      let task = try #require(try outside.find("Task").first)
      let note = try #require(try outside.find("Note").first { $0 !== task })
      task.setValue(NSSet(array: [note]), forKey: "related")
      try outside.save()
      try outside.close()
      try notebook.book.catchUp()
      #expect(try notebook.waiting() == ["insertion Note.related 1-2"])
    }
  }

  @Test
  func `A surplus record can go once the server has the record that replaces it`() throws {
    try withNotebook { notebook, _ in
      _ = try tagged(notebook)
      let standing = try #require(try notebook.entries().first).record.recordName
      let surplus = [
        SurplusRecord(name: "SECOND", standing: standing), SurplusRecord(name: "THIRD"),
      ]
      #expect(try notebook.book.dispensable(surplus, in: Notebook.zone) == ["THIRD"])
      try notebook.settle()
      #expect(try notebook.book.dispensable(surplus, in: Notebook.zone) == ["SECOND", "THIRD"])
    }
  }

  @Test func `Records of pairs are found under both names`() throws {
    try withNotebook { notebook, _ in
      _ = try tagged(notebook)
      let entry = try #require(try notebook.entries().first)
      guard case .pair(let pair) = entry.subject else { return }
      #expect(try notebook.book.records(of: [pair])[pair]?.identifier == entry.record)
      #expect(
        try notebook.book.subjects(of: [entry.record])[entry.record]?.subject == entry.subject)
    }
  }
}
