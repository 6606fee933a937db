import CloudKitClient
import CloudRecords
import SQLiteDriver

/// What came from the cloud and is taken over in one save.
struct ImportPage: Sendable {
  var records: [CKRecord] = []
  var deleted: [CKRecord.ID] = []
  /// Where the feeds of zones are then.
  var zoneTokens: [RecordZoneIdentifier: [UInt8]?] = [:]
  /// What else is noted in the same transaction.
  var state: [LedgerStateKey: Value] = [:]
  /// Whether the records were told as conflicts: they count whatever tag the ledger has.
  var isConflict = false

  var isEmpty: Bool { records.isEmpty && deleted.isEmpty }
}
