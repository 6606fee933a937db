import ManagedObjects
import MirrorLedger
import MirrorModel
import ObjectRows
import Testing

/// Answers that arrive after another process has read the same entry, and perhaps sent it.
struct LateAnswerTests {
  /// A note on the server whose title two processes sent: `former` first, then a later change.
  private func withTwoSenders(
    _ body: (_ notesStore: NotesStore, _ former: [OutboxEntry], _ later: [OutboxEntry]) throws ->
      Void
  ) throws {
    try withNotebook { notesStore, _ in
      let note = try notesStore.insert("Note", ["title": "One"])
      try notesStore.save()
      try notesStore.settle()
      note.setValue("Two", forKey: "title")
      try notesStore.save()
      let former = try notesStore.entries()
      try notesStore.requiredLedger.outbox.recordSending(former)
      note.setValue("Three", forKey: "title")
      try notesStore.save()
      try notesStore.requiredLedger.outbox.requeueRejected(former)
      let later = try notesStore.entries()
      try notesStore.requiredLedger.outbox.recordSending(later)
      try body(notesStore, former, later)
    }
  }

  @Test func `A late answer leaves another process's entries in flight`() throws {
    try withTwoSenders { notesStore, former, later in
      try notesStore.acknowledge(former, tag: "2")
      #expect(try notesStore.entries().map(\.isUnanswered) == [true])
      #expect(try notesStore.waiting() == ["update Note/1 title"])
      // The other one gets a conflict: the local change is still pending.
      try notesStore.requiredLedger.outbox.requeueRejected(later)
      #expect(try notesStore.waiting() == ["update Note/1 title"])
      #expect(try notesStore.entries().map(\.tag) == ["2"])
    }
  }

  @Test func `Another process's entries in flight end with its own answer`() throws {
    try withTwoSenders { notesStore, former, later in
      try notesStore.acknowledge(former, tag: "2")
      try notesStore.acknowledge(later, tag: "3")
      #expect(try notesStore.waiting().isEmpty)
    }
  }

  @Test
  func `The newest answer leaves nothing in flight, even after another process sent an older one`()
    throws
  {
    try withTwoSenders { notesStore, former, later in
      try notesStore.requiredLedger.outbox.recordSending(former)
      try notesStore.acknowledge(later, tag: "3")
      #expect(try notesStore.waiting().isEmpty)
      guard
        case .durable = try notesStore.requiredLedger.syncProgress(
          of: try #require(later.first?.subject.object))
      else {
        Issue.record("The change is not durable.")
        return
      }
    }
  }
}

extension OutboxEntry.Subject {
  fileprivate var object: RowKey? { if case .object(let key) = self { key } else { nil } }
}
