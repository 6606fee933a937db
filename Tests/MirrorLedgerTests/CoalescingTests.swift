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

/// The coalescing of changes in one row of the outbox.
struct CoalescingTests {
  @Test func `An insertion becomes one entry with the number of its latest save`() throws {
    try withNotebook { notesStore, _ in
      let note = try notesStore.insert("Note", ["title": "One"])
      try notesStore.save()
      note.setValue("Two", forKey: "title")
      try notesStore.save()
      let entries = try notesStore.entries()
      #expect(entries.map(notesStore.text) == ["insertion Note/1"])
      #expect(entries.first?.group == 2)
      #expect(entries.first?.mayBeOnServer == false)
      #expect(UUID(uuidString: try #require(entries.first).record.recordName) != nil)
    }
  }

  @Test func `Changes of one save stay together even if a later save changes some of them`() throws
  {
    try withNotebook { notesStore, _ in
      let (one, two) = (try notesStore.insert("Note"), try notesStore.insert("Note"))
      one.setValue(NSSet(array: [two]), forKey: "related")
      try notesStore.save()
      let other = try notesStore.insert("Note")
      try notesStore.save()
      #expect(Set(try notesStore.entries().map(\.group)) == [1, 2])
      two.setValue("Two", forKey: "title")
      try notesStore.insert("Tag")
      try notesStore.save()
      let entries = try notesStore.entries()
      #expect(entries.filter { $0.group == 3 }.count == 4, "Two notes, their pair, and the tag.")
      #expect(entries.filter { $0.group == 2 }.map(\.subject) == [.object(notesStore.key(other))])
      // Entries in flight join the group too, and are acknowledged as usual.
      let first = try #require(entries.first { $0.subject == .object(notesStore.key(one)) })
      try notesStore.requiredLedger.outbox.recordSending([first])
      notesStore.context.delete(two)
      try notesStore.save()
      #expect(try notesStore.entries().filter { $0.group == 4 }.count == 2)
      try notesStore.acknowledge([first])
      #expect(try !notesStore.entries().contains { $0.subject == first.subject })
      try notesStore.settle()
      #expect(try notesStore.waiting().isEmpty)
    }
  }

  @Test func `Two saves that do not fit in one request stay separate`() throws {
    try withNotebook { notesStore, _ in
      let notes = try (0..<LedgerLimits.joinedGroupRows).map { _ in try notesStore.insert("Note") }
      try notesStore.save()
      notes[0].setValue("One", forKey: "title")
      try notesStore.insert("Tag")
      try notesStore.save()
      let groups = Dictionary(grouping: try notesStore.entries(), by: \.group).mapValues(\.count)
      #expect(groups == [1: LedgerLimits.joinedGroupRows - 1, 2: 2])
    }
  }

  @Test func `Of two earlier saves that fit only one at a time, one joins the group`() throws {
    try withNotebook { notesStore, _ in
      let half = LedgerLimits.joinedGroupRows / 2 + 10
      let saves = try (0..<2).map { _ in
        let notes = try (0..<half).map { _ in try notesStore.insert("Note") }
        try notesStore.save()
        return notes
      }
      for notes in saves { notes[0].setValue("Changed", forKey: "title") }
      try notesStore.save()
      let groups = Dictionary(grouping: try notesStore.entries(), by: \.group).mapValues(\.count)
      #expect(groups == [1: half - 1, 3: half + 1])
    }
  }

  @Test func `Another process's save joins the pending entries`() throws {
    try withNotebook { notesStore, url in
      let (one, two) = (try notesStore.insert("Note"), try notesStore.insert("Note"))
      try notesStore.save()
      let outside = try NotesStore(at: url, mirrors: false)
      let key = notesStore.key(one)
      try #require(try outside.find("Note").first { $0.objectID.key == key.key }).setValue(
        "One", forKey: "title")
      try outside.save()
      try outside.close()
      try notesStore.requiredLedger.catchUp()
      let entries = try notesStore.entries()
      #expect(Set(entries.map(\.subject)) == [.object(key), .object(notesStore.key(two))])
      #expect(Set(entries.map(\.group)).count == 1)
    }
  }

  @Test func `An insertion that was never sent disappears with its object`() throws {
    try withNotebook { notesStore, _ in
      let note = try notesStore.insert("Note")
      try notesStore.save()
      notesStore.context.delete(note)
      try notesStore.save()
      #expect(try notesStore.waiting().isEmpty)
      #expect(try notesStore.requiredLedger.syncProgress(of: notesStore.key(note)) == .unknown)
    }
  }

  @Test func `An insertion that may have been sent is deleted by name`() throws {
    try withNotebook { notesStore, _ in
      let note = try notesStore.insert("Note")
      try notesStore.save()
      let sent = try notesStore.entries()
      try notesStore.requiredLedger.outbox.recordSending(sent)
      notesStore.context.delete(note)
      try notesStore.save()
      let entries = try notesStore.entries()
      #expect(entries.map(\.kind) == [.deletion])
      #expect(entries.map(\.record) == sent.map(\.record))
      // The insertion's acknowledgement is late: the deletion still waits, and gets the tag.
      try notesStore.acknowledge(sent, tag: "late")
      #expect(try notesStore.entries().map(\.tag) == ["late"])
      try notesStore.settle()
    }
  }

  @Test func `An object deleted between reading and sending is deleted on the server too`() throws {
    try withNotebook { notesStore, _ in
      let (one, two) = (try notesStore.insert("Note"), try notesStore.insert("Note"))
      one.setValue(NSSet(array: [two]), forKey: "related")
      try notesStore.save()
      let read = try notesStore.entries()
      notesStore.context.delete(one)
      try notesStore.save()
      #expect(try notesStore.waiting() == ["insertion Note/2"])
      try notesStore.requiredLedger.outbox.recordSending(read)
      try notesStore.acknowledge(read)
      #expect(try notesStore.waiting() == ["deletion Note/1", "deletion Note.related 1-2"])
      #expect(try Set(notesStore.entries().map(\.record)).isSubset(of: Set(read.map(\.record))))
    }
  }

  @Test func `Updates of several saves coalesce into one entry with all their properties`() throws {
    try withNotebook { notesStore, _ in
      let note = try notesStore.insert("Task", ["title": "One"])
      try notesStore.save()
      try notesStore.settle()
      note.setValue("Two", forKey: "title")
      try notesStore.save()
      note.setValue(true, forKey: "isDone")
      try notesStore.save()
      #expect(try notesStore.waiting() == ["update Task/1 title,isDone"])
      #expect(try notesStore.entries().first?.tag == "1")
      #expect(try notesStore.entries().first?.systemFields == [1, 2, 3])
      notesStore.context.delete(note)
      try notesStore.save()
      #expect(try notesStore.waiting() == ["deletion Task/1"])
      try notesStore.settle()
      #expect(try notesStore.requiredLedger.syncProgress(of: notesStore.key(note)) == .unknown)
    }
  }

  @Test func `A to-one reference is a change, and its inverse is not`() throws {
    try withNotebook { notesStore, _ in
      let (note, folder) = (try notesStore.insert("Note"), try notesStore.insert("Folder"))
      try notesStore.save()
      try notesStore.settle()
      note.setValue(folder, forKey: "folder")
      try notesStore.save()
      #expect(try notesStore.waiting() == ["update Note/1 folder"])
    }
  }

  @Test func `An acknowledgement removes only what was sent`() throws {
    try withNotebook { notesStore, _ in
      let note = try notesStore.insert("Note", ["title": "One"])
      try notesStore.save()
      try notesStore.settle()
      note.setValue("Two", forKey: "title")
      try notesStore.save()
      let sent = try notesStore.entries()
      try notesStore.requiredLedger.outbox.recordSending(sent)
      note.setValue(7, forKey: "rank")
      try notesStore.save()
      // Until the answer arrives, both may have to be sent again.
      #expect(try notesStore.waiting() == ["update Note/1 rank,title"])
      try notesStore.acknowledge(sent, tag: "2")
      #expect(try notesStore.waiting() == ["update Note/1 rank"])
      #expect(try notesStore.entries().first?.tag == "2")
      try notesStore.settle()
    }
  }

  @Test
  func `Properties of unanswered requests are distinguished from those of the latest one`() throws {
    try withNotebook { notesStore, _ in
      let task = try notesStore.insert("Task", ["title": "One", "rank": 1])
      try notesStore.save()
      try notesStore.settle()
      let key = notesStore.key(task)
      task.setValue("Two", forKey: "title")
      task.setValue(2, forKey: "rank")
      try notesStore.save()
      try notesStore.requiredLedger.outbox.recordSending(try notesStore.entries())
      #expect(try notesStore.requiredLedger.records(of: [key])[key]?.earlier == nil)
      try notesStore.requiredLedger.outbox.requeueUnanswered(try notesStore.entries())
      let both = try #require(try notesStore.requiredLedger.records(of: [key])[key]?.earlier)
      #expect(both.ordinals.count == 2)
      // A value that is set again differs from the earlier request's.
      task.setValue(3, forKey: "rank")
      task.setValue(true, forKey: "isDone")
      try notesStore.save()
      let entries = try notesStore.entries()
      try notesStore.requiredLedger.outbox.recordSending(entries)
      let record = try #require(try notesStore.requiredLedger.records(of: [key])[key])
      #expect(record.earlier?.ordinals.count == 1 && record.unanswered.ordinals.count == 3)
      #expect(Set(both.ordinals).isSuperset(of: record.earlier?.ordinals ?? []))
      try notesStore.acknowledge(entries, tag: "2")
      #expect(try notesStore.requiredLedger.records(of: [key])[key]?.earlier == nil)
      #expect(try notesStore.waiting().isEmpty)
    }
  }

  @Test func `A change between reading and sending is sent again`() throws {
    try withNotebook { notesStore, _ in
      let note = try notesStore.insert("Note", ["title": "One"])
      try notesStore.save()
      let read = try notesStore.entries()
      note.setValue("Two", forKey: "title")
      try notesStore.save()
      try notesStore.requiredLedger.outbox.recordSending(read)
      try notesStore.acknowledge(read)
      #expect(try notesStore.waiting() == ["update Note/1 title"])
    }
  }

  @Test func `A rejected entry is requeued`() throws {
    try withNotebook { notesStore, _ in
      let note = try notesStore.insert("Note", ["title": "One"])
      try notesStore.save()
      try notesStore.settle()
      note.setValue("Two", forKey: "title")
      try notesStore.save()
      let sent = try notesStore.entries()
      try notesStore.requiredLedger.outbox.recordSending(sent)
      #expect(try notesStore.entries().map(\.isUnanswered) == [true])
      try notesStore.requiredLedger.outbox.requeueRejected(sent)
      #expect(try notesStore.waiting() == ["update Note/1 title"])
      #expect(try notesStore.entries().map(\.isUnanswered) == [false])
    }
  }

  @Test
  func `A record that the server lost is sent whole, and a deletion of one is dropped`() throws {
    try withNotebook { notesStore, _ in
      let (one, two) = (try notesStore.insert("Note"), try notesStore.insert("Note"))
      try notesStore.save()
      try notesStore.settle()
      one.setValue("One", forKey: "title")
      notesStore.context.delete(two)
      try notesStore.save()
      try notesStore.requiredLedger.outbox.requeueMissing(notesStore.entries())
      let entries = try notesStore.entries()
      #expect(entries.map(\.kind) == [.insertion])
      #expect(entries.map(\.tag) == [nil])
      // Another device may recreate it, so the local change is kept.
      let title = try #require(one.objectID.layout.ordinal(of: "title"))
      let key = notesStore.key(one)
      let row = try notesStore.requiredLedger.records(of: [key])[key]
      #expect(row?.changed == OrdinalSet([title]))
    }
  }

  @Test func `The state of a change can be queried at any time`() throws {
    try withNotebook { notesStore, _ in
      let note = try notesStore.insert("Note")
      try notesStore.save()
      let (ledger, key) = (try notesStore.requiredLedger, notesStore.key(note))
      #expect(try ledger.syncProgress(of: key) == .pending(.insertion))
      let sent = try notesStore.entries()
      try ledger.outbox.recordSending(sent)
      guard case .sent(let date) = try ledger.syncProgress(of: key) else {
        Issue.record("The change is not reported as sent.")
        return
      }
      note.setValue("One", forKey: "title")
      try notesStore.save()
      #expect(try ledger.syncProgress(of: key) == .pending(.insertion))
      try notesStore.acknowledge(sent)
      #expect(try ledger.syncProgress(of: key) == .pending(.update))
      try notesStore.settle()
      guard case .durable(let later) = try ledger.syncProgress(of: key) else {
        Issue.record("The change is not durable.")
        return
      }
      #expect(date < later)
    }
  }

  @Test func `Groups that end when a store starts over do not join later saves`() throws {
    try withNotebook { notesStore, _ in
      let (one, two) = (try notesStore.insert("Note"), try notesStore.insert("Note"))
      try notesStore.save()
      try notesStore.requiredLedger.setState([LedgerStateKey("startingOver"): .integer(1)])
      one.setValue("One", forKey: "title")
      let tag = try notesStore.insert("Tag")
      try notesStore.save()
      #expect(
        try notesStore.entries().first { $0.group == 1 }?.subject == .object(notesStore.key(two)))
      // Changes that are saved while the store starts over stay together as usual.
      tag.setValue("word", forKey: "word")
      try notesStore.insert("Note")
      try notesStore.save()
      let groups = Dictionary(grouping: try notesStore.entries(), by: \.group).mapValues(\.count)
      #expect(groups == [1: 1, 3: 3])
    }
  }
}
