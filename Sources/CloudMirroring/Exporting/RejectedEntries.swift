import CloudRecords
import MirrorModel
import Synchronization

/// Entries that are held back because the server rejected them or they cannot be encoded.
///
/// They are retried after ten minutes, when the schema changes, when the program requests it, and
/// at its next start. A changed entry counts as a new one. Held-back entries do not slow down
/// saves: passes begin after them (`OutboxStart`), and equal reasons are stored once.
final class RejectedEntries: Sendable {
  private let held = Mutex(HeldEntries())

  func note(_ entry: OutboxEntry, _ fault: MirrorError, since cause: RecordIdentifier? = nil) {
    held.withLock {
      $0.add(entry.record, HeldEntries.Refusal(stamp: entry.stamp, fault: fault, cause: cause))
    }
  }

  func contains(_ entry: OutboxEntry) -> Bool {
    held.withLock { $0[entry.record]?.stamp == entry.stamp }
  }

  /// Drops entries that the server accepted after all.
  ///
  /// - Returns: Whether entries that waited for them can be sent now.
  func forget(_ taken: [Acknowledgement]) -> Bool {
    held.withLock { held in
      var isFreed = false
      for name in taken.map(\.entry.record) {
        held.remove(name)
        for other in held.waiting(for: name) {
          held.remove(other)
          isFreed = true
        }
      }
      if isFreed { held.start = nil }
      return isFreed
    }
  }

  func forget() { held.withLock { $0 = HeldEntries() } }

  /// Returns why a record is held back.
  func fault(of record: RecordIdentifier) -> MirrorError? { held.withLock { $0[record]?.fault } }

  /// The distinct reasons, in the order of their first occurrence.
  var faults: [MirrorError] { held.withLock { $0.faults.inOrder } }

  // MARK: The start of passes

  /// Returns the position up to which everything is held back; nil if it is unknown.
  func start(_ filling: Int64) -> OutboxPosition? {
    held.withLock { $0.start.flatMap { $0.filling == filling ? $0.position : nil } }
  }

  /// Sets the position up to which everything is held back.
  func noteStart(_ start: OutboxStart) { held.withLock { $0.start = start } }
}

/// The position in the outbox up to which everything is held back.
///
/// Changes get later groups. Only released entries, and entries that saves did not enqueue
/// (`Ledger.filling`), may come before the position.
struct OutboxStart {
  let position: OutboxPosition
  /// The value of `Ledger.filling` when the position was found.
  let filling: Int64
}

/// Held-back entries by name, by the record that they wait for, and by reason.
private struct HeldEntries {
  struct Refusal {
    let stamp: Int64
    let fault: MirrorError
    /// The record that has to be sent first.
    let cause: RecordIdentifier?
  }

  private var rejectedEntries: [RecordIdentifier: Refusal] = [:]
  private var dependents: [RecordIdentifier: Set<RecordIdentifier>] = [:]
  private(set) var faults = CountedFaults()
  var start: OutboxStart?

  subscript(record: RecordIdentifier) -> Refusal? { rejectedEntries[record] }

  /// Returns the records that wait for a record, sorted by name.
  func waiting(for record: RecordIdentifier) -> [RecordIdentifier] {
    dependents[record]?.sorted() ?? []
  }

  mutating func add(_ record: RecordIdentifier, _ refusal: Refusal) {
    remove(record)
    rejectedEntries[record] = refusal
    faults.add(refusal.fault)
    if let cause = refusal.cause { dependents[cause, default: []].insert(record) }
  }

  mutating func remove(_ record: RecordIdentifier) {
    guard let refusal = rejectedEntries.removeValue(forKey: record) else { return }
    faults.remove(refusal.fault)
    guard let cause = refusal.cause else { return }
    dependents[cause]?.remove(record)
    if dependents[cause]?.isEmpty == true { dependents[cause] = nil }
  }
}

/// The distinct reasons, in the order of their first occurrence.
private struct CountedFaults {
  private var counts: [MirrorError: Int] = [:]
  private(set) var inOrder: [MirrorError] = []

  mutating func add(_ fault: MirrorError) {
    if counts[fault] == nil { inOrder.append(fault) }
    counts[fault, default: 0] += 1
  }

  mutating func remove(_ fault: MirrorError) {
    guard let count = counts[fault] else { return }
    counts[fault] = count > 1 ? count - 1 : nil
    if count == 1 { inOrder.removeAll { $0 == fault } }
  }
}
