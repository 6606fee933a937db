import CloudRecords
import Foundation
import ManagedObjectModel
import ManagedObjects
import MirrorLedger
import MirrorModel
import ObjectRows
import SQLiteStore
import TestSupport
import Testing

/// Random saves, sends, lost answers and restarts, after which the server must equal the store.
struct OutboxModelTests {
  /// A server that has only records.
  private final class Server {
    /// The records, with the titles and ranks of the last request.
    var records: [String: [String: String]] = [:]
  }

  private func contents(_ object: NSManagedObject) -> [String: String] {
    [
      "title": object.value(forKey: "title") as? String ?? "",
      "rank": "\(object.value(forKey: "rank") as? Int ?? 0)",
    ]
  }

  /// Applies entries on the server: an update changes the fields that it names.
  private func carryOut(_ entries: [OutboxEntry], _ notesStore: NotesStore, _ server: Server) throws
  {
    for entry in entries {
      let name = entry.record.recordName
      guard case .object(let key) = entry.subject else { continue }
      if entry.kind == .deletion {
        server.records[name] = nil
        continue
      }
      guard let object = try notesStore.find("Note").first(where: { $0.objectID.key == key.key })
      else { continue }
      let present = contents(object)
      if entry.kind == .insertion {
        server.records[name] = present
      } else {
        let layout = object.objectID.layout
        for ordinal in entry.changed.ordinals {
          let property = layout.properties[ordinal].name
          if let value = present[property] { server.records[name]?[property] = value }
        }
      }
    }
  }

  @Test
  func `Every save reaches the server in the end, even if answers are lost`() throws {
    var generator = SeededGenerator.forTest()
    for _ in 0..<12 {
      try withTemporaryDirectory { folder in
        let url = folder.appendingPathComponent("Notes.sqlite")
        let server = Server()
        var notesStore = try NotesStore(at: url, seed: generator.next())
        var sent: [OutboxEntry] = []
        for step in 0..<60 {
          let notes = try notesStore.find("Note").sorted { $0.objectID.key < $1.objectID.key }
          let note = notes.isEmpty ? nil : notes[Int.random(in: 0..<notes.count, using: &generator)]
          switch Int.random(in: 0..<10, using: &generator) {
          case 0, 1: try notesStore.insert("Note", ["title": "new \(step)"])
          case 2, 3: note?.setValue("title \(step)", forKey: "title")
          case 4: note?.setValue(step, forKey: "rank")
          case 5: note.map(notesStore.context.delete)
          case 6 where sent.isEmpty:
            sent = try notesStore.requiredLedger.outbox.nextGroups(
              limit: Int.random(in: 1...6, using: &generator)
            )
            .entries
            try notesStore.requiredLedger.outbox.recordSending(sent)
            // The request may be lost.
            if Bool.random(using: &generator) {
              try carryOut(sent, notesStore, server)
            } else {
              sent = []
            }
          case 7 where !sent.isEmpty:
            // The answer may be lost.
            if Bool.random(using: &generator) { try notesStore.acknowledge(sent) }
            sent = []
          case 8:
            try notesStore.save()
            try notesStore.close()
            sent = []
            notesStore = try NotesStore(at: url, seed: generator.next())
          default: break
          }
          try notesStore.save()
        }
        for _ in 0..<3 {
          let entries = try notesStore.entries()
          try notesStore.requiredLedger.outbox.recordSending(entries)
          try carryOut(entries, notesStore, server)
          try notesStore.acknowledge(entries)
        }
        #expect(try notesStore.waiting().isEmpty, "\(generator)")
        let notes = try notesStore.find("Note")
        let records = try notesStore.requiredLedger.records(of: notes.map { notesStore.key($0) })
        #expect(server.records.count == notes.count, "\(generator)")
        for note in notes {
          let name = try #require(records[notesStore.key(note)]).identifier.recordName
          #expect(server.records[name] == contents(note), "\(generator)")
        }
        try notesStore.close()
      }
    }
  }
}
