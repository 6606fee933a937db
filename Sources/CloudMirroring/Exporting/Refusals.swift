import CloudRecords
import Synchronization

/// What is held back since the program began, since the server refused it or no record can be made of it: so it is not tried with everything else
/// again and again.
///
/// An entry that was changed meanwhile is another one.
final class Refusals: Sendable {
  private struct Refusal {
    let stamp: Int64
    let fault: MirrorFault
    /// The record that has to be sent before.
    let cause: RecordIdentifier?
  }

  private let refusals = Mutex<[RecordIdentifier: Refusal]>([:])

  func note(_ entry: OutboxEntry, _ fault: MirrorFault, since cause: RecordIdentifier? = nil) {
    refusals.withLock { $0[entry.record] = Refusal(stamp: entry.stamp, fault: fault, cause: cause) }
  }

  func contains(_ entry: OutboxEntry) -> Bool { refusals.withLock { $0[entry.record]?.stamp == entry.stamp } }

  /// The server has taken them after all.
  ///
  /// - Returns: Whether others can go that had to wait for them.
  func forget(_ taken: [Acknowledgement]) -> Bool {
    let names = Set(taken.map(\.entry.record))
    return refusals.withLock { refusals in
      let count = refusals.count { !names.contains($0.key) }
      refusals = refusals.filter { !names.contains($0.key) && !($0.value.cause.map(names.contains) ?? false) }
      return refusals.count < count
    }
  }

  func forget() { refusals.withLock { $0 = [:] } }

  /// Why an object's record is held back.
  func fault(of record: RecordIdentifier) -> MirrorFault? { refusals.withLock { $0[record]?.fault } }

  /// The reasons, each once, in the order of the records' names.
  var faults: [MirrorFault] {
    let all = refusals.withLock { $0.sorted { $0.key < $1.key }.map(\.value.fault) }
    var seen: Set<MirrorFault> = []
    return all.filter { seen.insert($0).inserted }
  }
}
