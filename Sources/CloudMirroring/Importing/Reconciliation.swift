import CloudKitClient
package import CloudRecords
import MirrorLedger
import MirrorModel
import Synchronization

/// The names that a full listing received.
///
/// Known records that it does not name are gone: after an expired token, the feed no longer reports
/// their deletions.
package final class Reconciliation: Sendable {
  private let zone: RecordZoneIdentifier
  /// The listed names, of which there may be a million; nil while no listing runs.
  private let seen = Mutex<Set<RecordName>?>(nil)
  /// The types of a public database that the user may read completely.
  private let open = Mutex<Set<String>>([])
  /// Whether the listing starts without a position, until its first part is saved.
  private let isToBegin = Mutex(false)
  /// The records that a restoration brought back though their deletion was acknowledged, with their
  /// tags.
  private let restored = Mutex<[RecordIdentifier: String]>([:])

  package init(of zone: RecordZoneIdentifier) { self.zone = zone }

  var isOn: Bool { seen.withLock { $0 != nil } }
  var startsOver: Bool { isToBegin.withLock(\.self) }

  /// Starts a full listing.
  ///
  /// - Parameter startsOver: Whether the recorded token is kept until the listing has its own.
  package func begin(startsOver: Bool = false) {
    seen.withLock { $0 = [] }
    open.withLock { $0 = [] }
    restored.withLock { $0 = [:] }
    isToBegin.withLock { $0 = startsOver }
  }

  package func end() {
    seen.withLock { $0 = nil }
    isToBegin.withLock { $0 = false }
  }

  /// Restarts, because an earlier listing saved nothing.
  func restart(in zone: RecordZoneIdentifier) {
    guard zone == self.zone else { return }
    seen.withLock { if $0 != nil { $0 = [] } }
    restored.withLock { $0 = [:] }
  }

  /// Marks the listing as begun, because it has a token.
  func hasBegun() { isToBegin.withLock { $0 = false } }

  package func note(_ page: ImportPage) {
    seen.withLock { seen in
      guard seen != nil else { return }
      for recordID in page.records.map(\.recordID) + page.unread.keys
      where RecordIdentifier(recordID).zone == zone {
        seen?.insert(RecordName(recordID.recordName))
      }
    }
  }

  /// The records to delete again, with the tags from the listing.
  var toDeleteAgain: [RecordIdentifier: String] { restored.withLock(\.self) }

  func recordRestored(_ record: RecordIdentifier, tag: String) {
    restored.withLock { $0[record] = tag }
  }

  func markCompletelyReadable(_ type: String) { open.withLock { _ = $0.insert(type) } }

  func isOpen(_ type: String) -> Bool { open.withLock { $0.contains(type) } }

  package func hasSeen(_ record: RecordIdentifier) -> Bool {
    seen.withLock { seen in
      guard let seen else { return true }
      return record.zone == zone && seen.contains(RecordName(record.recordName))
    }
  }
}
