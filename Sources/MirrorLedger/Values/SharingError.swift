package import CloudRecords
package import ObjectRows

/// A sharing rule that a save or a call breaks.
package enum SharingError: Error {
  /// An object is in a zone that the user may only read.
  case readOnly(RowKey, in: RecordZoneIdentifier)
  /// Objects of two shares are related.
  case twoShares(RowKey, RecordZoneIdentifier, RowKey, RecordZoneIdentifier)
  /// An object is shared already.
  case isShared(RowKey, in: RecordZoneIdentifier)
  /// Relationships lead from the objects to others that the scope excludes.
  case beyondScope([(RowKey, relationship: String, RowKey)])
}
