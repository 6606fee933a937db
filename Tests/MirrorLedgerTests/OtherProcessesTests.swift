import CloudRecords
import Dispatch
import Foundation
import ManagedObjects
import MirrorLedger
import MirrorModel
import ObjectRows
import SQLiteDriver
import SQLiteStore
import Testing

/// Answers that arrive after another process over the same file has recorded newer ones.
struct OtherProcessesTests {
  private struct Stopped: Error {}

  /// An import whose save fails.
  private func fail(_ book: Ledger, _ asked: LedgerMoment) throws {
    try book.importing(changes(asked)) { () throws -> Void in throw Stopped() }
  }

  private func changes(_ asked: LedgerMoment?) -> LedgerChanges {
    var changes = LedgerChanges()
    changes.asked = asked
    changes.zoneTokens = [NotesStore.zone: [1]]
    return changes
  }

  /// Two ledgers over one file, which represent two processes.
  private func withTwo(_ body: (_ one: NotesStore, _ other: NotesStore) throws -> Void) throws {
    try withNotebook { one, url in
      let other = try NotesStore(at: url, seed: 2)
      try body(one, other)
      try other.close()
    }
  }

  private func expectOvertaken(_ notesStore: NotesStore, _ asked: LedgerMoment) throws {
    let before = try notesStore.book.zoneToken(NotesStore.zone)
    try notesStore.insert("Note")
    #expect(throws: AnswerOvertaken.self) {
      try notesStore.book.importing(changes(asked)) {
        try notesStore.save(author: MirrorNames.importAuthor)
      }
    }
    notesStore.context.rollback()
    #expect(try notesStore.find("Note").isEmpty)
    #expect(throws: AnswerOvertaken.self) { try notesStore.book.apply(changes(asked)) }
    #expect(try notesStore.book.zoneToken(NotesStore.zone) == before)
  }

  @Test func `Data requested before another process imported something is not written`() throws {
    try withTwo { one, other in
      let asked = try one.book.moment()
      try other.book.apply(changes(nil))
      try expectOvertaken(one, asked)
      // After another request it is written.
      try one.insert("Note")
      try one.book.importing(changes(one.book.moment())) {
        try one.save(author: MirrorNames.importAuthor)
      }
      #expect(try one.find("Note").count == 1 && one.book.zoneToken(NotesStore.zone) == [1])
    }
  }

  @Test func `Data requested before another process sent something is not written`() throws {
    try withTwo { one, other in
      let asked = try one.book.moment()
      try other.insert("Folder")
      try other.save()
      let entry = try #require(try other.entries().first)
      try other.book.outbox.recordSending([entry])
      // Entries in flight are not on the server yet.
      try one.book.apply(changes(asked))
      try other.book.outbox.acknowledge([Acknowledgement(entry, tag: "1", systemFields: nil)])
      try expectOvertaken(one, asked)
    }
  }

  @Test func `Later writes of the same process and of programs do not matter`() throws {
    try withTwo { one, other in
      let asked = try one.book.moment()
      try one.book.apply(changes(nil))
      try other.insert("Folder")
      try other.save()
      try one.insert("Note")
      try one.book.importing(changes(asked)) { try one.save(author: MirrorNames.importAuthor) }
      #expect(try one.find("Note").count == 1)
    }
  }

  @Test func `Without another process, no response is outdated`() throws {
    try withNotebook { notesStore, _ in
      let book = try notesStore.book
      let asked = try book.moment()
      DispatchQueue.concurrentPerform(iterations: 2) { number in
        for _ in 0..<300 {
          #expect(throws: Never.self) {
            if number == 0 {
              try book.apply(changes(asked))
            } else if try book.moment() != asked {
              throw Stopped()
            }
          }
        }
      }
    }
  }

  @Test func `A failed operation does not count as another process's`() throws {
    try withNotebook { notesStore, _ in
      let asked = try notesStore.book.moment()
      #expect(throws: Stopped.self) { try fail(notesStore.book, asked) }
      try notesStore.book.apply(changes(asked))
      let now = try notesStore.book.moment()
      #expect(now == asked)
    }
  }

  @Test func `A failed operation leaves the process's latest number its own`() throws {
    try withNotebook { notesStore, _ in
      let asked = try notesStore.book.moment()
      try notesStore.book.apply(changes(asked))
      #expect(throws: Stopped.self) { try fail(notesStore.book, asked) }
      let now = try notesStore.book.moment()
      #expect(now == asked)
    }
  }

  @Test func `A failed operation's number belongs to the process that uses it next`() throws {
    try withTwo { one, other in
      let asked = try one.book.moment()
      var changes = changes(asked)
      for object in [try one.insert("Note"), try one.insert("Note")] {
        changes.records.append(try one.imported(object, "Name", isNew: true))
      }
      #expect(throws: LedgerOutdated.self) {
        try one.book.importing(changes) { try one.save(author: MirrorNames.importAuthor) }
      }
      one.context.rollback()
      try other.book.apply(self.changes(nil))
      try expectOvertaken(one, asked)
    }
  }

  @Test func `The first check has missed nothing`() throws {
    try withTwo { one, other in
      try other.book.apply(changes(nil))
      let asked = try one.book.moment()
      try one.book.apply(changes(asked))
      #expect(try one.book.moment() == asked)
      try other.book.apply(changes(nil))
      #expect(try one.book.moment() != asked)
    }
  }
}
