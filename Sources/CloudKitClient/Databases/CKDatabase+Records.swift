import Foundation

extension CKDatabase {
  // MARK: One record

  /// Fetches a record.
  public func record(for recordID: CKRecord.ID) async throws -> CKRecord {
    try await only(records(for: [recordID]), recordID)
  }

  /// Saves a record, unless it has changed on the server since it was fetched.
  ///
  /// - Returns: The same object, with the change tag of the new version.
  @discardableResult
  public func save(_ record: CKRecord) async throws -> CKRecord {
    try await only(modificationResults(saving: [record]).saveResults, record.recordID)
  }

  /// Deletes a record.
  @discardableResult
  public func deleteRecord(withID recordID: CKRecord.ID) async throws -> CKRecord.ID {
    try await only(modificationResults(deleting: [recordID]).deleteResults, recordID)
    return recordID
  }

  // MARK: Many records

  /// Fetches records by their IDs.
  ///
  /// - Returns: A result for each record.
  /// - Throws: An error if no record could be fetched. If some records were fetched, the others
  ///   have the error as their result.
  public func records(
    for ids: [CKRecord.ID], desiredKeys: [CKRecord.FieldKey]? = nil
  ) async throws -> [CKRecord.ID: Result<CKRecord, any Error>] {
    try await results(for: ids) { try await work().records(ids, desiredKeys: desiredKeys, $0) }
  }

  /// Saves and deletes records.
  ///
  /// - Returns: A result for each record.
  /// - Throws: An error if no record was saved or deleted. If some records were, the others have
  ///   the error as their result. If an atomic zone was not saved, the call throws a
  ///   `CKError.partialFailure`. Its `partialErrorsByItemID` contains an error for each record that
  ///   was not saved or deleted. All other records, such as those of other zones, were saved or
  ///   deleted. To get a result for each record instead, pass false for `atomically`.
  public func modifyRecords(
    saving recordsToSave: [CKRecord], deleting recordIDsToDelete: [CKRecord.ID],
    savePolicy: CKModifyRecordsOperation.RecordSavePolicy = .ifServerRecordUnchanged,
    atomically: Bool = true
  ) async throws -> (
    saveResults: [CKRecord.ID: Result<CKRecord, any Error>],
    deleteResults: [CKRecord.ID: Result<Void, any Error>]
  ) {
    let results = try await modificationResults(
      saving: recordsToSave, deleting: recordIDsToDelete, savePolicy: savePolicy,
      atomically: atomically)
    if atomically { try checkAtomicZones(results) }
    return results
  }

  /// Saves and deletes records, and returns a result for each.
  ///
  /// - Parameter tags: The expected versions of deleted records. A record with another version is a
  ///   conflict and stays.
  package func modificationResults(
    saving recordsToSave: [CKRecord] = [], deleting recordIDsToDelete: [CKRecord.ID] = [],
    tags: [CKRecord.ID: String] = [:],
    savePolicy: CKModifyRecordsOperation.RecordSavePolicy = .ifServerRecordUnchanged,
    atomically: Bool = true
  ) async throws -> (
    saveResults: [CKRecord.ID: Result<CKRecord, any Error>],
    deleteResults: [CKRecord.ID: Result<Void, any Error>]
  ) {
    let results = ModificationResults<CKRecord.ID, CKRecord>()
    let report = RecordModification.Report(saved: results.addSaved, deleted: results.addDeleted)
    return try await results.collect {
      var modification = RecordModification(
        work: try work(), policy: savePolicy, isAtomic: atomically, report: report)
      modification.deletionTags = tags
      try await modification.run(saving: recordsToSave, deleting: recordIDsToDelete)
    }
  }

  /// Throws a partial failure with the errors of all records if an atomic batch failed.
  private func checkAtomicZones(_ results: ModificationResults<CKRecord.ID, CKRecord>.All)
    throws(CKError)
  {
    var errors = ItemErrors()
    for (recordID, result) in results.saveResults { errors.note(recordID, result) }
    for (recordID, result) in results.deleteResults { errors.note(recordID, result) }
    let zoneIDs = errors.errors.keys.lazy.compactMap { ($0.base as? CKRecord.ID)?.zoneID }
    if zoneIDs.contains(where: { databaseScope.wire.savesAtomically($0) }) { try errors.check() }
  }

  // MARK: Completion handlers

  /// Fetches a record.
  public func fetch(
    withRecordID recordID: CKRecord.ID,
    completionHandler: @escaping @Sendable (CKRecord?, (any Error)?) -> Void
  ) {
    answer(completionHandler) { try await self.record(for: recordID) }
  }

  /// Saves a record, unless it has changed on the server since it was fetched.
  public func save(
    _ record: CKRecord, completionHandler: @escaping @Sendable (CKRecord?, (any Error)?) -> Void
  ) {
    answer(completionHandler) { try await self.save(record) }
  }

  /// Deletes a record.
  public func delete(
    withRecordID recordID: CKRecord.ID,
    completionHandler: @escaping @Sendable (CKRecord.ID?, (any Error)?) -> Void
  ) {
    answer(completionHandler) { try await self.deleteRecord(withID: recordID) }
  }

  /// Fetches records by their IDs.
  public func fetch(
    withRecordIDs recordIDs: [CKRecord.ID], desiredKeys: [CKRecord.FieldKey]? = nil,
    completionHandler:
      @escaping @Sendable (Result<[CKRecord.ID: Result<CKRecord, any Error>], any Error>) -> Void
  ) {
    answer(completionHandler) { try await self.records(for: recordIDs, desiredKeys: desiredKeys) }
  }

  /// Saves and deletes records.
  public func modifyRecords(
    saving recordsToSave: [CKRecord], deleting recordIDsToDelete: [CKRecord.ID],
    savePolicy: CKModifyRecordsOperation.RecordSavePolicy = .ifServerRecordUnchanged,
    atomically: Bool = true,
    completionHandler:
      @escaping @Sendable (
        Result<
          (
            saveResults: [CKRecord.ID: Result<CKRecord, any Error>],
            deleteResults: [CKRecord.ID: Result<Void, any Error>]
          ), any Error
        >
      ) -> Void
  ) {
    answer(completionHandler) {
      try await self.modifyRecords(
        saving: recordsToSave, deleting: recordIDsToDelete, savePolicy: savePolicy,
        atomically: atomically)
    }
  }
}

extension CKDatabase {
  /// The result of a request for a single item.
  func only<Name: Hashable, Value>(_ results: [Name: Result<Value, any Error>], _ name: Name) throws
    -> Value
  {
    guard let result = results[name] else {
      throw CKError(.internalError, "The server's response does not contain \(name).")
    }
    return try result.get()
  }
}
