import CloudRecords
import MirrorModel
import Synchronization

/// What is held back since the program began, since the server refused it or no record can be made
/// of it: so it is not tried with everything else again and again.
///
/// An entry that was changed meanwhile is another one. No save costs more for what is held back,
/// however much that is: passes begin behind it (`OutboxStart`), and its reasons are kept each
/// once.
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

  /// The server has taken them after all.
  ///
  /// - Returns: Whether others can go that had to wait for them.
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

  /// Why an object's record is held back.
  func fault(of record: RecordIdentifier) -> MirrorError? { held.withLock { $0[record]?.fault } }

  /// The reasons, each once, in the order in which they were met.
  var faults: [MirrorError] { held.withLock { $0.faults.inOrder } }

  // MARK: Where passes begin

  /// The place in the outbox up to which everything is held back; nil where that is not known.
  func start(_ filling: Int64) -> OutboxPosition? {
    held.withLock { $0.start.flatMap { $0.filling == filling ? $0.position : nil } }
  }

  /// Notes that everything up to a place is held back.
  func noteStart(_ start: OutboxStart) { held.withLock { $0.start = start } }
}

/// The place in the outbox up to which everything is held back.
///
/// What is changed has a later group from then on. Only what is put in besides (`Ledger.filling`)
/// may come before the place, and what is let go.
struct OutboxStart {
  let position: OutboxPosition
  /// What `Ledger.filling` was when it was found.
  let filling: Int64
}

/// Entries that are held back, found by their names, by what they wait for and by their reasons.
private struct HeldEntries {
  struct Refusal {
    let stamp: Int64
    let fault: MirrorError
    /// The record that has to be sent before.
    let cause: RecordIdentifier?
  }

  private var rejectedEntries: [RecordIdentifier: Refusal] = [:]
  private var dependents: [RecordIdentifier: Set<RecordIdentifier>] = [:]
  private(set) var faults = CountedFaults()
  var start: OutboxStart?

  subscript(record: RecordIdentifier) -> Refusal? { rejectedEntries[record] }

  /// Those that have to wait for a record, in the order of their names.
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

/// Reasons, each once, in the order in which they were met.
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
