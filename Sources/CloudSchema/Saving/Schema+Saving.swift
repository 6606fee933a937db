package import CloudRecords

/// Where a record is saved: what decides whether a schema may learn, and whether values may be
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
  /// Whether a record may be saved, and what the schema learns from it.
  ///
  /// Development learns record types and fields as they come; production has what was deployed.
  /// Neither changes a field's type. A null teaches nothing, and clears what is not there without
  /// complaint.
  ///
  /// - Returns: What is new, for `learn(_:)`; nearly always nothing.
  /// - Throws: The first reason in the order of the fields: Apple's sentence, then what to do.
  package func check(
    _ record: WrittenRecord, in place: SaveContext, limits: ServiceLimits = ServiceLimits()
  ) throws(CloudError) -> SchemaAdditions {
    let known = self[type: record.recordType]
    let learner = SchemaInference(
      recordType: record.recordType, definition: known, place: place, limits: limits)
    if known == nil { try learner.checkNewType(typeCount: typeCount) }
    var learnt: [FieldDefinition] = []
    for field in record.fields {
      guard let addition = try learner.check(field) else { continue }
      learnt.append(addition)
      try learner.checkFieldCount(adding: learnt.count)
    }
    try learner.checkSingle(learnt)
    return SchemaAdditions(recordType: record.recordType, isNewType: known == nil, fields: learnt)
  }
}
