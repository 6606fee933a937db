import CloudMirroring
import ManagedObjects
import ObjectRows
import Testing

/// Answers that arrive after another process has read the same entry, and perhaps sent it.
struct LateAnswerTests {
  /// A note on the server whose title is pending under one stamp.
  ///
  /// Another process sent it under the former stamp.
  private func withTwoSenders(
    _ body: (_ notebook: Notebook, _ former: [OutboxEntry], _ later: [OutboxEntry]) throws -> Void
  ) throws {
    try withNotebook { notebook, _ in
      let note = try notebook.insert("Note", ["title": "One"])
      try notebook.save()
      try notebook.settle()
      note.setValue("Two", forKey: "title")
      try notebook.save()
      let former = try notebook.entries()
      try notebook.book.noteSending(former)
      note.setValue("Three", forKey: "title")
      try notebook.save()
      try notebook.book.noteNotTaken(former)
      let later = try notebook.entries()
      try notebook.book.noteSending(later)
      try body(notebook, former, later)
    }
  }

  @Test func `A late answer leaves another process's entries in flight`() throws {
    try withTwoSenders { notebook, former, later in
      try notebook.acknowledge(former, tag: "2")
      #expect(try notebook.entries().map(\.isUnanswered) == [true])
      #expect(try notebook.waiting() == ["update Note/1 title"])
      // The other one gets a conflict: the local change is still pending.
      try notebook.book.noteNotTaken(later)
      #expect(try notebook.waiting() == ["update Note/1 title"])
      #expect(try notebook.entries().map(\.tag) == ["2"])
    }
  }

  @Test func `Another process's entries in flight end with its own answer`() throws {
    try withTwoSenders { notebook, former, later in
      try notebook.acknowledge(former, tag: "2")
      try notebook.acknowledge(later, tag: "3")
      #expect(try notebook.waiting().isEmpty)
    }
  }

  @Test
  func `The newest answer leaves nothing in flight, even after another process sent an older one`()
    throws
  {
    try withTwoSenders { notebook, former, later in
      try notebook.book.noteSending(former)
      try notebook.acknowledge(later, tag: "3")
      #expect(try notebook.waiting().isEmpty)
      guard
        case .durable = try notebook.book.whereabouts(of: try #require(later.first?.subject.object))
      else {
        Issue.record("The server has it.")
        return
      }
    }
  }
}

extension OutboxEntry.Subject {
  fileprivate var object: RowKey? { if case .object(let key) = self { key } else { nil } }
}
