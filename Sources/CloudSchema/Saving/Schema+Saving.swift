package import CloudRecords

/// The context of a save, which decides whether the schema may learn and whether values may be
/// sealed.
package struct SaveContext: Hashable, Sendable {
  package var environment: CloudEnvironment
  package var database: DatabaseScope

  package init(environment: CloudEnvironment, database: DatabaseScope) {
    self.environment = environment
    self.database = database
  }
}

extension Schema {
  /// Checks whether a record may be saved, and returns what the schema learns from it.
  ///
  /// Development learns record types and fields automatically. Production has only what was
  /// deployed. A field never changes its type. A null adds nothing, and clearing an unknown field
  /// succeeds.
  ///
  /// - Returns: The additions for `learn(_:)`, which are nearly always empty.
  /// - Throws: The first error in the order of the fields: Apple's error text, then a remedy.
  package func check(
    _ record: WrittenRecord, in place: SaveContext, limits: ServiceLimits = ServiceLimits()
  ) throws(CloudError) -> SchemaAdditions {
    let known = self[type: record.recordType]
    let learner = SchemaInference(
      recordType: record.recordType, definition: known, place: place, limits: limits)
    if known == nil { try learner.checkNewType(typeCount: typeCount) }
    var learned: [FieldDefinition] = []
    for field in record.fields {
      guard let addition = try learner.check(field) else { continue }
      learned.append(addition)
      try learner.checkFieldCount(adding: learned.count)
    }
    try learner.checkSingle(learned)
    return SchemaAdditions(recordType: record.recordType, isNewType: known == nil, fields: learned)
  }
}
