import CloudRecords
import MirrorModel
import Synchronization

/// Records that are too large for the server with what changed of them, since values lie in them
/// that this version of the program would keep in assets: a former one has sent them so.
///
/// Where the values of such a record lie is not known. So all that belong into assets are sent
/// again, once. Where that was in vain, as others keep values of their own in the record, they are
/// sent again only when the object has become smaller.
final class CrowdedRecords: Sendable {
  private enum Note {
    /// All values that belong into assets are to be sent, or were, with an unknown result.
    case isToBeMoved
    /// They were sent, and the record was too large all the same, with about as many bytes of the
    /// object's.
    case isInVain(recordBytes: Int)
  }

  private let records = Mutex<[RecordIdentifier: Note]>([:])

  /// Notes a record that the server finds too large.
  ///
  /// - Returns: Whether it may be smaller the next time.
  func note(_ item: ExportPage.Item) -> Bool {
    guard item.entry.kind == .update else { return false }
    return records.withLock { records in
      let isWorthwhile =
        switch records[item.entry.record] {
        case nil: true
        case .isToBeMoved: false
        case .isInVain(let bytes): item.recordBytes < bytes
        }
      if isWorthwhile {
        records[item.entry.record] = .isToBeMoved
      } else if case .isToBeMoved = records[item.entry.record] {
        records[item.entry.record] = .isInVain(recordBytes: item.recordBytes)
      }
      return isWorthwhile
    }
  }

  /// The records of which all that belong into assets are to be sent.
  var all: Set<RecordIdentifier> {
    records.withLock { records in
      Set(records.compactMap { if case .isToBeMoved = $0.value { $0.key } else { nil } })
    }
  }

  /// The server has taken them.
  func forget(_ taken: [Acknowledgement]) {
    records.withLock { records in
      if !records.isEmpty { for one in taken { records[one.entry.record] = nil } }
    }
  }
}
