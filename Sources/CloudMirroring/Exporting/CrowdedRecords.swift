import CloudRecords
import Synchronization

/// Records that are too large for the server with what changed of them, since values lie in them that this version of the program would keep in assets:
/// a former one has sent them so.
///
/// Where the values of such a record lie is not known. So all that belong into assets are sent again, once.
final class CrowdedRecords: Sendable {
  private let records = Mutex<Set<RecordIdentifier>>([])

  /// Notes a record that the server finds too large.
  ///
  /// - Returns: Whether it may be smaller the next time.
  func note(_ entry: OutboxEntry) -> Bool {
    entry.kind == .update && records.withLock { $0.insert(entry.record).inserted }
  }

  /// Which ones were noted.
  var all: Set<RecordIdentifier> { records.withLock(\.self) }

  /// The server has taken them.
  func forget(_ taken: [Acknowledgement]) {
    records.withLock { records in
      if !records.isEmpty { records.subtract(taken.map(\.entry.record)) }
    }
  }
}
