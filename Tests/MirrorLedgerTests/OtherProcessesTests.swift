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
  private func fail(_ ledger: Ledger, _ asked: LedgerMoment) throws {
    try ledger.importing(changes(asked)) { () throws -> Void in throw Stopped() }
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
    let before = try notesStore.requiredLedger.zoneToken(NotesStore.zone)
    try notesStore.insert("Note")
    #expect(throws: AnswerOvertaken.self) {
      try notesStore.requiredLedger.importing(changes(asked)) {
        try notesStore.save(author: MirrorNames.importAuthor)
      }
    }
    notesStore.context.rollback()
    #expect(try notesStore.find("Note").isEmpty)
    #expect(throws: AnswerOvertaken.self) { try notesStore.requiredLedger.apply(changes(asked)) }
    #expect(try notesStore.requiredLedger.zoneToken(NotesStore.zone) == before)
  }

  @Test func `Data requested before another process imported something is not written`() throws {
    try withTwo { one, other in
      let asked = try one.requiredLedger.moment()
      try other.requiredLedger.apply(changes(nil))
      try expectOvertaken(one, asked)
      // After another request it is written.
      try one.insert("Note")
      try one.requiredLedger.importing(changes(one.requiredLedger.moment())) {
        try one.save(author: MirrorNames.importAuthor)
      }
      #expect(
        try one.find("Note").count == 1 && one.requiredLedger.zoneToken(NotesStore.zone) == [1])
    }
  }

  @Test func `Data requested before another process sent something is not written`() throws {
    try withTwo { one, other in
      let asked = try one.requiredLedger.moment()
      try other.insert("Folder")
      try other.save()
      let entry = try #require(try other.entries().first)
      try other.requiredLedger.outbox.recordSending([entry])
      // Entries in flight are not on the server yet.
      try one.requiredLedger.apply(changes(asked))
      try other.requiredLedger.outbox.acknowledge([
        Acknowledgement(entry, tag: "1", systemFields: nil)
      ])
      try expectOvertaken(one, asked)
    }
  }

  @Test
  func `Later writes of this process and saves of another one make no response outdated`() throws {
    try withTwo { one, other in
      let asked = try one.requiredLedger.moment()
      try one.requiredLedger.apply(changes(nil))
      try other.insert("Folder")
      try other.save()
      try one.insert("Note")
      try one.requiredLedger.importing(changes(asked)) {
        try one.save(author: MirrorNames.importAuthor)
      }
      #expect(try one.find("Note").count == 1)
    }
  }

  @Test func `Without another process, no response is outdated`() throws {
    try withNotebook { notesStore, _ in
      let ledger = try notesStore.requiredLedger
      let asked = try ledger.moment()
      DispatchQueue.concurrentPerform(iterations: 2) { number in
        for _ in 0..<300 {
          #expect(throws: Never.self) {
            if number == 0 {
              try ledger.apply(changes(asked))
            } else if try ledger.moment() != asked {
              throw Stopped()
            }
          }
        }
      }
    }
  }

  @Test func `A failed operation does not count as another process's`() throws {
    try withNotebook { notesStore, _ in
      let asked = try notesStore.requiredLedger.moment()
      #expect(throws: Stopped.self) { try fail(notesStore.requiredLedger, asked) }
      try notesStore.requiredLedger.apply(changes(asked))
      let now = try notesStore.requiredLedger.moment()
      #expect(now == asked)
    }
  }

  @Test func `A failed operation leaves the process's latest number its own`() throws {
    try withNotebook { notesStore, _ in
      let asked = try notesStore.requiredLedger.moment()
      try notesStore.requiredLedger.apply(changes(asked))
      #expect(throws: Stopped.self) { try fail(notesStore.requiredLedger, asked) }
      let now = try notesStore.requiredLedger.moment()
      #expect(now == asked)
    }
  }

  @Test func `A failed operation's number belongs to the process that uses it next`() throws {
    try withTwo { one, other in
      let asked = try one.requiredLedger.moment()
      var changes = changes(asked)
      for object in [try one.insert("Note"), try one.insert("Note")] {
        changes.records.append(try one.imported(object, "Name", isNew: true))
      }
      #expect(throws: LedgerOutdated.self) {
        try one.requiredLedger.importing(changes) { try one.save(author: MirrorNames.importAuthor) }
      }
      one.context.rollback()
      try other.requiredLedger.apply(self.changes(nil))
      try expectOvertaken(one, asked)
    }
  }

  @Test func `Earlier imports by another process make no response outdated`() throws {
    try withTwo { one, other in
      try other.requiredLedger.apply(changes(nil))
      let asked = try one.requiredLedger.moment()
      try one.requiredLedger.apply(changes(asked))
      #expect(try one.requiredLedger.moment() == asked)
      try other.requiredLedger.apply(changes(nil))
      #expect(try one.requiredLedger.moment() != asked)
    }
  }
}
