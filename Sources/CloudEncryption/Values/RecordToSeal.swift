package import CloudRecords

/// The values of one record that a save seals.
package struct RecordToSeal: Sendable {
  /// The fields of the save, encrypted ones and others.
  package var fields: RecordFields
  /// The encrypted fields that the save removes.
  package var removed: [String]
  package var record: RecordIdentifier
  package var recordType: String
  /// The share that the record belongs to through its parents, or nil if only the whole zone is
  /// shared, or nothing.
  package var shareName: String?
  /// The saves of the version that is changed; empty for a new record, nil for a save over any
  /// version.
  package var base: [String: SealStamp]?

  package init(
    _ fields: RecordFields, removing removed: [String] = [], of record: RecordIdentifier,
    recordType: String, shareName: String? = nil, over base: [String: SealStamp]? = nil
  ) {
    (self.fields, self.removed) = (fields, removed)
    (self.record, self.recordType) = (record, recordType)
    (self.shareName, self.base) = (shareName, base)
  }

  /// The fields that are sealed.
  package var sealedNames: [String] { fields.filter(\.field.isEncrypted).map(\.name) + removed }

  /// The stamps of the sealed fields.
  func stamps(of save: SaveBinding) -> [String: SealStamp] {
    Dictionary(sealedNames.map { ($0, save.stamp) }, uniquingKeysWith: { first, _ in first })
  }
}

/// The fields of a save after sealing.
package struct SealedRecord: Sendable {
  package let fields: RecordFields
  /// The stamps of the sealed fields.
  package let stamps: [String: SealStamp]
}
