import CloudRecords
import CloudSchema
import CloudWire
import RecordStorage

extension ZoneWork {
  func create(_ item: RecordBatch.Item) throws {
    let input = item.operation.record
    guard let type = input.recordType else {
      // An update without a type must not recreate a deleted record.
      throw CloudError(
        item.operation.kind == .create ? .badRequest : .notFound,
        "The record “\(item.identifier.recordName)” does not exist; creating it needs a recordType."
      )
    }
    let stamp = try stamp(input)
    var record = StoredRecord(
      recordName: item.identifier.recordName, recordType: type, tag: 0, created: stamp,
      modified: stamp,
      fields: RecordFields())
    if type == SystemType.users.rawValue, record.recordName != caller.userRecordName {
      throw CloudError(.accessDenied, "User records are created by the server, one for each user.")
    }
    try setParent(of: &record, input)
    if type == ShareDetails.recordType {
      try allow(.createShare, on: shareSubject)
      try merge(input, into: &record, replaces: true)
      try createShare(&record, input)
    } else {
      try allow(.createRecord, on: creationSubject(of: record))
      try merge(input, into: &record, replaces: true)
      assignShortIdentifier(&record, input)
    }
    draft.save(record)
    events.append(RecordEvent(event: .create, record: record))
  }

  func change(_ existing: StoredRecord, _ item: RecordBatch.Item, replaces: Bool) throws {
    let input = item.operation.record
    if let type = input.recordType, type != existing.recordType {
      throw CloudError(
        .badRequest,
        "The record “\(existing.recordName)” is of the type \(existing.recordType), which never changes to \(type)."
      )
    }
    var record = existing
    record.modified = try stamp(input).notBefore(existing.created)
    if existing.share != nil {
      try changeShare(&record, input, replaces: replaces)
    } else {
      try allow(.changeRecord, on: subject(of: existing))
      try setParent(of: &record, input)
      if record.parentName != existing.parentName {
        try allow(.createRecord, on: creationSubject(of: record))
      }
    }
    try merge(input, into: &record, replaces: replaces)
    assignShortIdentifier(&record, input)
    draft.save(record)
    events.append(RecordEvent(event: .update, record: record))
  }

  /// Returns the time, the user and the device of a save.
  ///
  /// - Throws: If the device's identifier is too long, since every record that the device saves
  ///   contains it.
  func stamp(_ input: RecordInput) throws(CloudError) -> RecordStamp {
    let device = input.deviceIdentifier ?? ""
    guard device.utf8.count <= ServerLimits.deviceIdentifierBytes else {
      throw CloudError(
        .badRequest,
        "The deviceID has \(device.utf8.count) bytes; at most \(ServerLimits.deviceIdentifierBytes) are allowed."
      )
    }
    return RecordStamp(
      time: batch.now, userRecordName: caller.userRecordName ?? "", deviceIdentifier: device)
  }

  func merge(_ input: RecordInput, into record: inout StoredRecord, replaces: Bool) throws {
    let place = SaveContext(
      environment: batch.call.container.environment, database: batch.call.scope)
    schema.learn(
      try schema.schema.check(
        RecordMerge.written(input.fields, recordType: record.recordType), in: place,
        limits: batch.limits))
    let held = record.fields
    record.fields = try RecordMerge.fields(
      input.fields, over: record.fields, replaces: replaces,
      as: schema.schema[type: record.recordType])
    for entry in input.fields {
      guard let field = record.fields[entry.name] else { continue }
      try sealingKeys.check(field, named: entry.name)
      guard field.value.holdsReferences else { continue }
      let value = try field.value.withOwnZone(
        in: access, field: entry.name, of: record.recordName)
      record.fields[entry.name]?.value = value
    }
    try sealFields(of: &record, input, replaces: replaces)
    try AssetRules(
      receipts: receipts, realm: batch.call.realm, scope: batch.call.scope,
      owner: access.keys.database.owner,
      caller: caller, held: held, transaction: transaction
    ).check(&record)
    try checkSize(of: record)
    try quota.take(
      draft.count(
        Int64(StoredEntry.record(record).bytes.count) + record.fileBytes, of: record.recordName),
      of: access.keys.database)
  }

  /// Removes the sealed values that the input replaces, and seals the new encrypted values.
  private func sealFields(of record: inout StoredRecord, _ input: RecordInput, replaces: Bool)
    throws(CloudError)
  {
    if !record.sealed.isEmpty {
      if replaces { record.sealed = SealedFields() }
      for entry in input.fields { record.sealed.remove(entry.name) }
      try sealing.checkKeys(of: record)
    }
    try sealing.sealMarked(in: &record)
  }

  /// Throws if a record is too large.
  ///
  /// Only records near the limit are encoded to measure them.
  private func checkSize(of record: StoredRecord) throws(CloudError) {
    guard record.mostBytes > batch.limits.recordBytes else { return }
    let size = StoredEntry.record(record).bytes.count - record.sealingBytes
    guard size > batch.limits.recordBytes else { return }
    throw CloudError(
      .badRequest,
      "record too large: “\(record.recordName)” has \(size) bytes; at most \(batch.limits.recordBytes) are allowed. Keep large values in assets.",
      extension: .limitExceeded)
  }

  func setParent(of record: inout StoredRecord, _ input: RecordInput) throws(CloudError) {
    switch input.parent {
    case .unchanged: break
    case .none: record.parentName = nil
    case .record(let name):
      guard !access.isPublic else {
        throw CloudError(
          .badRequest, "Records of the public database have no parents, since they are not shared.")
      }
      guard name != record.recordName else {
        throw CloudError(.badRequest, "A record cannot be its own parent.")
      }
      record.parentName = name
    }
  }
}
