import Foundation

extension CKDatabase {
  // MARK: One record

  /// Fetches a record.
  public func record(for recordID: CKRecord.ID) async throws -> CKRecord {
    try await only(records(for: [recordID]), recordID)
  }

  /// Saves a record, unless somebody else has saved it since it was fetched.
  ///
  /// - Returns: The same record, with the tag of its new version.
  @discardableResult
  public func save(_ record: CKRecord) async throws -> CKRecord {
    try await only(modifyRecords(saving: [record], deleting: []).saveResults, record.recordID)
  }

  /// Deletes a record.
  @discardableResult
  public func deleteRecord(withID recordID: CKRecord.ID) async throws -> CKRecord.ID {
    try await only(modifyRecords(saving: [], deleting: [recordID]).deleteResults, recordID)
    return recordID
  }

  // MARK: Many records

  /// Fetches records by their names.
  ///
  /// - Returns: What became of each.
  /// - Throws: What kept all of them from being fetched; where some were, those that are left have it as their result.
  public func records(
    for ids: [CKRecord.ID], desiredKeys: [CKRecord.FieldKey]? = nil
  ) async throws -> [CKRecord.ID: Result<CKRecord, any Error>] {
    var results: [CKRecord.ID: Result<CKRecord, any Error>] = [:]
    do {
      try await work().records(ids, desiredKeys: desiredKeys) { results[$0] = $1.plain }
    } catch {
      guard results.values.contains(where: \.isSuccess) else { throw error }
      for recordID in ids where results[recordID] == nil { results[recordID] = .failure(error) }
    }
    return results
  }

  /// Saves and deletes records.
  ///
  /// - Returns: What became of each.
  /// - Throws: What kept all of them from being saved; where some were, those that are left have it as their result.
  public func modifyRecords(
    saving recordsToSave: [CKRecord], deleting recordIDsToDelete: [CKRecord.ID],
    savePolicy: CKModifyRecordsOperation.RecordSavePolicy = .ifServerRecordUnchanged, atomically: Bool = true
  ) async throws -> (
    saveResults: [CKRecord.ID: Result<CKRecord, any Error>], deleteResults: [CKRecord.ID: Result<Void, any Error>]
  ) {
    let results = ModificationResults<CKRecord.ID, CKRecord>()
    let report = RecordModification.Report(saved: results.noteSaved, deleted: results.noteDeleted)
    do {
      try await RecordModification(work: try work(), policy: savePolicy, isAtomic: atomically, report: report)
        .run(saving: recordsToSave, deleting: recordIDsToDelete)
    } catch {
      // What was done must not be lost with what was not, each of which has its error.
      let all = results.all
      guard all.saveResults.values.contains(where: \.isSuccess) || all.deleteResults.values.contains(where: \.isSuccess)
      else { throw error }
    }
    return results.all
  }

  // MARK: Completion handlers

  /// Fetches a record.
  public func fetch(
    withRecordID recordID: CKRecord.ID, completionHandler: @escaping @Sendable (CKRecord?, (any Error)?) -> Void
  ) {
    answer(completionHandler) { try await self.record(for: recordID) }
  }

  /// Saves a record, unless somebody else has saved it since it was fetched.
  public func save(_ record: CKRecord, completionHandler: @escaping @Sendable (CKRecord?, (any Error)?) -> Void) {
    answer(completionHandler) { try await self.save(record) }
  }

  /// Deletes a record.
  public func delete(
    withRecordID recordID: CKRecord.ID, completionHandler: @escaping @Sendable (CKRecord.ID?, (any Error)?) -> Void
  ) {
    answer(completionHandler) { try await self.deleteRecord(withID: recordID) }
  }

  /// Fetches records by their names.
  public func fetch(
    withRecordIDs recordIDs: [CKRecord.ID], desiredKeys: [CKRecord.FieldKey]? = nil,
    completionHandler: @escaping @Sendable (Result<[CKRecord.ID: Result<CKRecord, any Error>], any Error>) -> Void
  ) {
    answer(completionHandler) { try await self.records(for: recordIDs, desiredKeys: desiredKeys) }
  }

  /// Saves and deletes records.
  public func modifyRecords(
    saving recordsToSave: [CKRecord], deleting recordIDsToDelete: [CKRecord.ID],
    savePolicy: CKModifyRecordsOperation.RecordSavePolicy = .ifServerRecordUnchanged, atomically: Bool = true,
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
        saving: recordsToSave, deleting: recordIDsToDelete, savePolicy: savePolicy, atomically: atomically)
    }
  }
}

extension CKDatabase {
  /// The only result of a request for one thing.
  func only<Name: Hashable, Value>(_ results: [Name: Result<Value, any Error>], _ name: Name) throws -> Value {
    guard let result = results[name] else {
      throw CKError(.internalError, "The server said nothing of \(name).")
    }
    return try result.get()
  }
}

extension Result {
  /// Whether it went well.
  fileprivate var isSuccess: Bool { if case .success = self { true } else { false } }
}
