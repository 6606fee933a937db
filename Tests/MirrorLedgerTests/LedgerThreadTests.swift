import CloudRecords
import Foundation
import ManagedObjects
import MirrorLedger
import MirrorModel
import ObjectRows
import SQLiteStore
import Synchronization
import TestSupport
import Testing

/// Concurrent saves and acknowledgements.
struct LedgerThreadTests {
  /// Sends and acknowledges pending entries on its own thread until it is stopped and none is left.
  private final class Sender: Sendable {
    let ledger: Ledger
    private let isStopped = Atomic(false)
    private let done = DispatchSemaphore(value: 0)
    /// The last kind of entry that the server received for each record.
    let received = Mutex<[String: OutboxEntry.Kind]>([:])
    let failure = Mutex<String?>(nil)

    init(_ ledger: Ledger) { self.ledger = ledger }

    func start() {
      Thread.detachNewThread { [self] in
        do { while try sendOnce() {} } catch { failure.withLock { $0 = "\(error)" } }
        done.signal()
      }
    }

    func stop() {
      isStopped.store(true, ordering: .releasing)
      done.wait()
    }

    /// Returns whether more may be left to send.
    private func sendOnce() throws -> Bool {
      let isLast = isStopped.load(ordering: .acquiring)
      let entries = try ledger.outbox.nextGroups(limit: 50).entries
      if entries.isEmpty { return !isLast }
      try ledger.outbox.recordSending(entries)
      received.withLock { received in
        for entry in entries { received[entry.record.recordName] = entry.kind }
      }
      try ledger.outbox.acknowledge(
        entries.map { Acknowledgement($0, tag: "1", systemFields: nil) })
      return true
    }
  }

  @Test func `Nothing is lost between a saving thread and a sending thread`() throws {
    try withNotebook { notesStore, _ in
      let sender = Sender(try notesStore.requiredLedger)
      sender.start()
      for number in 0..<60 {
        let note = try notesStore.insert("Note", ["rank": number])
        try notesStore.save()
        note.setValue("title \(number)", forKey: "title")
        try notesStore.save()
        guard number % 3 == 0 else { continue }
        notesStore.context.delete(note)
        try notesStore.save()
      }
      sender.stop()
      let failure = sender.failure.withLock { $0 }
      #expect(failure == nil)
      #expect(try notesStore.waiting().isEmpty)
      let present = sender.received.withLock { received in
        received.values.filter { $0 != .deletion }.count
      }
      #expect(present == 40)
    }
  }
}
