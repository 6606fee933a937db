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

  func note(_ entry: OutboxEntry, _ failure: MirrorError, since cause: RecordIdentifier? = nil) {
    held.withLock {
      $0.add(entry.record, HeldEntries.Refusal(stamp: entry.stamp, failure: failure, cause: cause))
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
  func error(of record: RecordIdentifier) -> MirrorError? { held.withLock { $0[record]?.failure } }

  /// The distinct reasons, in the order of their first occurrence.
  var failures: [MirrorError] { held.withLock { $0.failures.inOrder } }

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
/// Saved changes get later groups, so they come after the position. Only released entries, and
/// entries that saves did not enqueue (`Ledger.filling`), may come before it.
struct OutboxStart {
  let position: OutboxPosition
  /// The value of `Ledger.filling` when the position was found.
  let filling: Int64
}

/// Held-back entries by name, by the record that they wait for, and by reason.
private struct HeldEntries {
  struct Refusal {
    let stamp: Int64
    let failure: MirrorError
    /// The record that has to be sent first.
    let cause: RecordIdentifier?
  }

  private var rejectedEntries: [RecordIdentifier: Refusal] = [:]
  private var dependents: [RecordIdentifier: Set<RecordIdentifier>] = [:]
  private(set) var failures = CountedFailures()
  var start: OutboxStart?

  subscript(record: RecordIdentifier) -> Refusal? { rejectedEntries[record] }

  /// Returns the records that wait for a record, sorted by name.
  func waiting(for record: RecordIdentifier) -> [RecordIdentifier] {
    dependents[record]?.sorted() ?? []
  }

  mutating func add(_ record: RecordIdentifier, _ refusal: Refusal) {
    remove(record)
    rejectedEntries[record] = refusal
    failures.add(refusal.failure)
    if let cause = refusal.cause { dependents[cause, default: []].insert(record) }
  }

  mutating func remove(_ record: RecordIdentifier) {
    guard let refusal = rejectedEntries.removeValue(forKey: record) else { return }
    failures.remove(refusal.failure)
    guard let cause = refusal.cause else { return }
    dependents[cause]?.remove(record)
    if dependents[cause]?.isEmpty == true { dependents[cause] = nil }
  }
}

/// The distinct reasons, in the order of their first occurrence.
private struct CountedFailures {
  private var counts: [MirrorError: Int] = [:]
  private(set) var inOrder: [MirrorError] = []

  mutating func add(_ failure: MirrorError) {
    if counts[failure] == nil { inOrder.append(failure) }
    counts[failure, default: 0] += 1
  }

  mutating func remove(_ failure: MirrorError) {
    guard let count = counts[failure] else { return }
    counts[failure] = count > 1 ? count - 1 : nil
    if count == 1 { inOrder.removeAll { $0 == failure } }
  }
}
