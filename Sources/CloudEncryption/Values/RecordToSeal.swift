package import CloudRecords

/// The values of one record that a save seals.
package struct RecordToSeal: Sendable {
  /// The fields of the save, encrypted ones and others.
  package var fields: RecordFields
  /// The encrypted fields that the save removes.
  package var removed: [String]
  package var record: RecordIdentifier
  package var recordType: String
  /// The share that the record belongs to through its parents; nil if only the whole zone or
  /// nothing is shared.
  package var shareName: String?
  /// The stamps of the version that the save changes; empty for a new record, nil for a save over
  /// any version.
  package var base: SealStamps?

  package init(
    _ fields: RecordFields, removing removed: [String] = [], of record: RecordIdentifier,
    recordType: String, shareName: String? = nil, over base: SealStamps? = nil
  ) {
    (self.fields, self.removed) = (fields, removed)
    (self.record, self.recordType) = (record, recordType)
    (self.shareName, self.base) = (shareName, base)
  }

  /// The fields that are sealed.
  package var sealedNames: [String] { fields.filter(\.field.isEncrypted).map(\.name) + removed }

  /// The stamps of the sealed fields.
  func stamps(of save: SaveBinding) -> SealStamps { SealStamps(sealedNames, stamp: save.stamp) }
}

/// The fields of a save after sealing.
package struct SealedRecord: Sendable {
  package let fields: RecordFields
  /// The stamps of the sealed fields.
  package let stamps: SealStamps
}
