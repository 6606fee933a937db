import CloudRecords
import Synchronization

/// What the server refused since the program began, so that it is not sent with everything else again and again.
///
/// An entry that was changed meanwhile is another one.
final class Refusals: Sendable {
  private struct Refusal {
    let stamp: Int64
    let fault: MirrorFault
  }

  private let refusals = Mutex<[RecordIdentifier: Refusal]>([:])

  func note(_ entry: OutboxEntry, _ fault: MirrorFault) {
    refusals.withLock { $0[entry.record] = Refusal(stamp: entry.stamp, fault: fault) }
  }

  func contains(_ entry: OutboxEntry) -> Bool { refusals.withLock { $0[entry.record]?.stamp == entry.stamp } }

  /// The server has taken them after all.
  func forget(_ taken: [Acknowledgement]) {
    refusals.withLock { refusals in
      for acknowledgement in taken { refusals[acknowledgement.entry.record] = nil }
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
