import CloudRecords
import MirrorModel
import Synchronization

/// Records that are too large because values that belong in assets are inline.
///
/// A program with another model sent them inline. Since it is unknown which values these are, all
/// values that belong in assets are sent again, once. If other programs' values still make the
/// record too large, they are sent again only after the object has become smaller.
final class CrowdedRecords: Sendable {
  private enum Note {
    /// All values that belong in assets are to be sent, or were sent with an unknown result.
    case needsMove
    /// They were sent, but the record was still too large; the object took about this many bytes.
    case isStillTooLarge(recordBytes: Int)
  }

  private let records = Mutex<[RecordIdentifier: Note]>([:])

  /// Handles a record that is too large for the server.
  ///
  /// - Returns: Whether the record may be smaller next time.
  func note(_ item: ExportPage.Item) -> Bool {
    guard item.entry.kind == .update else { return false }
    return records.withLock { records in
      let isWorthwhile =
        switch records[item.entry.record] {
        case nil: true
        case .needsMove: false
        case .isStillTooLarge(let bytes): item.recordBytes < bytes
        }
      if isWorthwhile {
        records[item.entry.record] = .needsMove
      } else if case .needsMove = records[item.entry.record] {
        records[item.entry.record] = .isStillTooLarge(recordBytes: item.recordBytes)
      }
      return isWorthwhile
    }
  }

  /// The records whose values for assets must all be sent.
  var all: Set<RecordIdentifier> {
    records.withLock { records in
      Set(records.compactMap { if case .needsMove = $0.value { $0.key } else { nil } })
    }
  }

  /// Drops acknowledged records.
  func forget(_ taken: [Acknowledgement]) {
    records.withLock { records in
      if !records.isEmpty { for one in taken { records[one.entry.record] = nil } }
    }
  }
}
