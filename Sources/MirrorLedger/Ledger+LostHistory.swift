package import CloudRecords
import SQLiteDriver

extension LedgerStateKey {
  /// The changes that a restored server lost from a zone (`LostHistory`).
  package static let lostHistory = Self("lostHistory")

  /// Returns the key for one zone; the home zone has the plain name.
  package func of(_ zone: RecordZoneIdentifier, home: RecordZoneIdentifier) -> Self {
    zone == home ? self : Self("\(name)/\(zone.ownerName)/\(zone.zoneName)")
  }
}

extension Ledger {
  /// The changes that a restored server lost from a zone, until its full listing ends; or nil.
  package func lostHistory(of zone: RecordZoneIdentifier) throws -> LostHistory? {
    guard case .text(let text)? = try state(.lostHistory.of(zone, home: options.homeZone)) else {
      return nil
    }
    return LostHistory(text: text)
  }
}
