import CloudMirroring
import CloudRecords
import Foundation
import ManagedObjects
import ObjectRows
import SQLiteDriver
import SQLiteStore
import TestSupport
import Testing

/// How one row of the outbox coalesces its changes.
struct FoldingTests {
  @Test func `An insertion becomes one entry with the number of its save`() throws {
    try withNotebook { notebook, _ in
      let note = try notebook.insert("Note", ["title": "One"])
      try notebook.save()
      note.setValue("Two", forKey: "title")
      try notebook.save()
      let entries = try notebook.entries()
      #expect(entries.map(notebook.text) == ["insertion Note/1"])
      #expect(entries.first?.group == 2)
      #expect(entries.first?.mayBeOnServer == false)
      #expect(UUID(uuidString: try #require(entries.first).record.recordName) != nil)
    }
  }

  @Test func `Changes of one save stay together even if a later save changes some of them`() throws
  {
    try withNotebook { notebook, _ in
      let (one, two) = (try notebook.insert("Note"), try notebook.insert("Note"))
      one.setValue(NSSet(array: [two]), forKey: "related")
      try notebook.save()
      let other = try notebook.insert("Note")
      try notebook.save()
      #expect(Set(try notebook.entries().map(\.group)) == [1, 2])
      two.setValue("Two", forKey: "title")
      try notebook.insert("Tag")
      try notebook.save()
      let entries = try notebook.entries()
      #expect(entries.filter { $0.group == 3 }.count == 4, "Two notes, their pair, and the tag.")
      #expect(entries.filter { $0.group == 2 }.map(\.subject) == [.object(notebook.key(other))])
      // Entries in flight are included, and acknowledged as usual.
      let first = try #require(entries.first { $0.subject == .object(notebook.key(one)) })
      try notebook.book.noteSending([first])
      notebook.context.delete(two)
      try notebook.save()
      #expect(try notebook.entries().filter { $0.group == 4 }.count == 2)
      try notebook.acknowledge([first])
      #expect(try !notebook.entries().contains { $0.subject == first.subject })
      try notebook.settle()
      #expect(try notebook.waiting().isEmpty)
    }
  }

  @Test func `Two saves that do not fit in one request stay separate`() throws {
    try withNotebook { notebook, _ in
      let notes = try (0..<LedgerLimits.unitedRows).map { _ in try notebook.insert("Note") }
      try notebook.save()
      notes[0].setValue("One", forKey: "title")
      try notebook.insert("Tag")
      try notebook.save()
      let groups = Dictionary(grouping: try notebook.entries(), by: \.group).mapValues(\.count)
      #expect(groups == [1: LedgerLimits.unitedRows - 1, 2: 2])
    }
  }

  @Test func `Of two earlier saves that fit only one at a time, one joins the group`() throws {
    try withNotebook { notebook, _ in
      let half = LedgerLimits.unitedRows / 2 + 10
      let saves = try (0..<2).map { _ in
        let notes = try (0..<half).map { _ in try notebook.insert("Note") }
        try notebook.save()
        return notes
      }
      for notes in saves { notes[0].setValue("Changed", forKey: "title") }
      try notebook.save()
      let groups = Dictionary(grouping: try notebook.entries(), by: \.group).mapValues(\.count)
      #expect(groups == [1: half - 1, 3: half + 1])
    }
  }

  @Test func `Another process's save joins the pending entries`() throws {
    try withNotebook { notebook, url in
      let (one, two) = (try notebook.insert("Note"), try notebook.insert("Note"))
      try notebook.save()
      let outside = try Notebook(at: url, mirrors: false)
      let key = notebook.key(one)
      try #require(try outside.find("Note").first { $0.objectID.key == key.key }).setValue(
        "One", forKey: "title")
      try outside.save()
      try outside.close()
      try notebook.book.catchUp()
      let entries = try notebook.entries()
      #expect(Set(entries.map(\.subject)) == [.object(key), .object(notebook.key(two))])
      #expect(Set(entries.map(\.group)).count == 1)
    }
  }

  @Test func `An insertion that was never sent disappears with its object`() throws {
    try withNotebook { notebook, _ in
      let note = try notebook.insert("Note")
      try notebook.save()
      notebook.context.delete(note)
      try notebook.save()
      #expect(try notebook.waiting().isEmpty)
      #expect(try notebook.book.whereabouts(of: notebook.key(note)) == .unknown)
    }
  }

  @Test func `An insertion that may have been sent is deleted by name`() throws {
    try withNotebook { notebook, _ in
      let note = try notebook.insert("Note")
      try notebook.save()
      let sent = try notebook.entries()
      try notebook.book.noteSending(sent)
      notebook.context.delete(note)
      try notebook.save()
      let entries = try notebook.entries()
      #expect(entries.map(\.kind) == [.deletion])
      #expect(entries.map(\.record) == sent.map(\.record))
      // The insertion's acknowledgement is late: the deletion still waits, and gets the tag.
      try notebook.acknowledge(sent, tag: "late")
      #expect(try notebook.entries().map(\.tag) == ["late"])
      try notebook.settle()
    }
  }

  @Test func `An object deleted between reading and sending is deleted on the server too`() throws {
    try withNotebook { notebook, _ in
      let (one, two) = (try notebook.insert("Note"), try notebook.insert("Note"))
      one.setValue(NSSet(array: [two]), forKey: "related")
      try notebook.save()
      let read = try notebook.entries()
      notebook.context.delete(one)
      try notebook.save()
      #expect(try notebook.waiting() == ["insertion Note/2"])
      try notebook.book.noteSending(read)
      try notebook.acknowledge(read)
      #expect(try notebook.waiting() == ["deletion Note/1", "deletion Note.related 1-2"])
      #expect(try Set(notebook.entries().map(\.record)).isSubset(of: Set(read.map(\.record))))
    }
  }

  @Test func `Updates of several saves coalesce into one entry with all their properties`() throws {
    try withNotebook { notebook, _ in
      let note = try notebook.insert("Task", ["title": "One"])
      try notebook.save()
      try notebook.settle()
      note.setValue("Two", forKey: "title")
      try notebook.save()
      note.setValue(true, forKey: "isDone")
      try notebook.save()
      #expect(try notebook.waiting() == ["update Task/1 title,isDone"])
      #expect(try notebook.entries().first?.tag == "1")
      #expect(try notebook.entries().first?.systemFields == [1, 2, 3])
      notebook.context.delete(note)
      try notebook.save()
      #expect(try notebook.waiting() == ["deletion Task/1"])
      try notebook.settle()
      #expect(try notebook.book.whereabouts(of: notebook.key(note)) == .unknown)
    }
  }

  @Test func `A to-one reference is a change, and its inverse is not`() throws {
    try withNotebook { notebook, _ in
      let (note, folder) = (try notebook.insert("Note"), try notebook.insert("Folder"))
      try notebook.save()
      try notebook.settle()
      note.setValue(folder, forKey: "folder")
      try notebook.save()
      #expect(try notebook.waiting() == ["update Note/1 folder"])
    }
  }

  @Test func `An acknowledgement removes only what was sent`() throws {
    try withNotebook { notebook, _ in
      let note = try notebook.insert("Note", ["title": "One"])
      try notebook.save()
      try notebook.settle()
      note.setValue("Two", forKey: "title")
      try notebook.save()
      let sent = try notebook.entries()
      try notebook.book.noteSending(sent)
      note.setValue(7, forKey: "rank")
      try notebook.save()
      // Until the answer arrives, both may have to be sent again.
      #expect(try notebook.waiting() == ["update Note/1 rank,title"])
      try notebook.acknowledge(sent, tag: "2")
      #expect(try notebook.waiting() == ["update Note/1 rank"])
      #expect(try notebook.entries().first?.tag == "2")
      try notebook.settle()
    }
  }

  @Test
  func `Properties of unanswered requests are distinguished from those of the latest one`() throws {
    try withNotebook { notebook, _ in
      let task = try notebook.insert("Task", ["title": "One", "rank": 1])
      try notebook.save()
      try notebook.settle()
      let key = notebook.key(task)
      task.setValue("Two", forKey: "title")
      task.setValue(2, forKey: "rank")
      try notebook.save()
      try notebook.book.noteSending(try notebook.entries())
      #expect(try notebook.book.records(of: [key])[key]?.earlier == nil)
      try notebook.book.noteNotAnswered(try notebook.entries())
      let both = try #require(try notebook.book.records(of: [key])[key]?.earlier)
      #expect(both.ordinals.count == 2)
      // A value that is set again differs from the earlier request's.
      task.setValue(3, forKey: "rank")
      task.setValue(true, forKey: "isDone")
      try notebook.save()
      let entries = try notebook.entries()
      try notebook.book.noteSending(entries)
      let record = try #require(try notebook.book.records(of: [key])[key])
      #expect(record.earlier?.ordinals.count == 1 && record.unanswered.ordinals.count == 3)
      #expect(Set(both.ordinals).isSuperset(of: record.earlier?.ordinals ?? []))
      try notebook.acknowledge(entries, tag: "2")
      #expect(try notebook.book.records(of: [key])[key]?.earlier == nil)
      #expect(try notebook.waiting().isEmpty)
    }
  }

  @Test func `A change between reading and sending is sent again`() throws {
    try withNotebook { notebook, _ in
      let note = try notebook.insert("Note", ["title": "One"])
      try notebook.save()
      let read = try notebook.entries()
      note.setValue("Two", forKey: "title")
      try notebook.save()
      try notebook.book.noteSending(read)
      try notebook.acknowledge(read)
      #expect(try notebook.waiting() == ["update Note/1 title"])
    }
  }

  @Test func `A rejected entry is requeued`() throws {
    try withNotebook { notebook, _ in
      let note = try notebook.insert("Note", ["title": "One"])
      try notebook.save()
      try notebook.settle()
      note.setValue("Two", forKey: "title")
      try notebook.save()
      let sent = try notebook.entries()
      try notebook.book.noteSending(sent)
      #expect(try notebook.entries().map(\.isUnanswered) == [true])
      try notebook.book.noteNotTaken(sent)
      #expect(try notebook.waiting() == ["update Note/1 title"])
      #expect(try notebook.entries().map(\.isUnanswered) == [false])
    }
  }

  @Test func `A record that the server lost is sent whole, and its deletion is done`() throws {
    try withNotebook { notebook, _ in
      let (one, two) = (try notebook.insert("Note"), try notebook.insert("Note"))
      try notebook.save()
      try notebook.settle()
      one.setValue("One", forKey: "title")
      notebook.context.delete(two)
      try notebook.save()
      try notebook.book.noteUnknownOnServer(notebook.entries())
      let entries = try notebook.entries()
      #expect(entries.map(\.kind) == [.insertion])
      #expect(entries.map(\.tag) == [nil])
      // Another device may recreate it, so the local change is kept.
      let title = try #require(one.objectID.layout.ordinal(of: "title"))
      let row = try notebook.book.records(of: [notebook.key(one)])[notebook.key(one)]
      #expect(row?.changed == OrdinalSet([title]))
    }
  }

  @Test func `The state of a change can be queried at any time`() throws {
    try withNotebook { notebook, _ in
      let note = try notebook.insert("Note")
      try notebook.save()
      let (book, key) = (try notebook.book, notebook.key(note))
      #expect(try book.whereabouts(of: key) == .pending(.insertion))
      let sent = try notebook.entries()
      try book.noteSending(sent)
      guard case .sent(let date) = try book.whereabouts(of: key) else {
        Issue.record("It was sent.")
        return
      }
      note.setValue("One", forKey: "title")
      try notebook.save()
      #expect(try book.whereabouts(of: key) == .pending(.insertion))
      try notebook.acknowledge(sent)
      #expect(try book.whereabouts(of: key) == .pending(.update))
      try notebook.settle()
      guard case .durable(let later) = try book.whereabouts(of: key) else {
        Issue.record("The server has it.")
        return
      }
      #expect(date < later)
    }
  }

  @Test func `Entries dropped by a reset do not join later saves`() throws {
    try withNotebook { notebook, _ in
      let (one, two) = (try notebook.insert("Note"), try notebook.insert("Note"))
      try notebook.save()
      try notebook.book.setState([LedgerStateKey("startingOver"): .integer(1)])
      one.setValue("One", forKey: "title")
      let tag = try notebook.insert("Tag")
      try notebook.save()
      #expect(try notebook.entries().first { $0.group == 1 }?.subject == .object(notebook.key(two)))
      // Changes that are saved meanwhile stay together as usual.
      tag.setValue("word", forKey: "word")
      try notebook.insert("Note")
      try notebook.save()
      let groups = Dictionary(grouping: try notebook.entries(), by: \.group).mapValues(\.count)
      #expect(groups == [1: 1, 3: 3])
    }
  }
}
