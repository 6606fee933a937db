package import CloudRecords
package import ObjectRows

/// A to-one reference of an object to a record that has not come yet, or that another object has.
package struct ParkedReference: Hashable, Sendable {
  package let source: RowKey
  /// The relationship, by the ordinal of the source's layout.
  package let ordinal: Int
  package let target: RecordIdentifier
  /// Whether the target is here, and another one has it.
  package let isClaim: Bool

  package init(source: RowKey, ordinal: Int, target: RecordIdentifier, isClaim: Bool = false) {
    self.source = source
    self.ordinal = ordinal
    self.target = target
    self.isClaim = isClaim
  }
}

/// A join record of which at least one object has not come yet.
package struct ParkedPair: Hashable, Sendable {
  package let record: RecordIdentifier
  package let tag: String?
  package let systemFields: [UInt8]?
  /// The name of the entity that declares the relationship which leads from the first to the
  /// second.
  package let entity: String
  package let relationship: String
  /// The names of the records of both objects.
  package let first: RecordIdentifier
  package let second: RecordIdentifier

  package init(
    record: RecordIdentifier, tag: String?, systemFields: [UInt8]?, entity: String,
    relationship: String,
    first: RecordIdentifier, second: RecordIdentifier
  ) {
    self.record = record
    self.tag = tag
    self.systemFields = systemFields
    self.entity = entity
    self.relationship = relationship
    self.first = first
    self.second = second
  }
}

/// A reference that waits for what another one has.
package struct OpenClaim: Sendable {
  package let reference: ParkedReference
  package let target: RowKey

  package init(reference: ParkedReference, target: RowKey) {
    self.reference = reference
    self.target = target
  }
}
