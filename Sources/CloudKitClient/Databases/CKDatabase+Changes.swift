import Foundation

extension CKDatabase {
  /// What happened in a database.
  public enum DatabaseChange {
    /// Something changed in a zone.
    public struct Modification: Sendable {
      /// The zone.
      public let zoneID: CKRecordZone.ID
    }

    /// A zone is gone.
    public struct Deletion: Sendable {
      /// Why a zone is gone.
      public enum Reason: Sendable {
        /// A program deleted it.
        case deleted
        /// The user deleted the program's data.
        case purged
        /// The user reset the keys of encrypted values.
        case encryptedDataReset
      }

      /// The zone.
      public let zoneID: CKRecordZone.ID
      /// Why it is gone.
      public let reason: Reason
      /// Whether the user deleted the program's data.
      public var purged: Bool { reason == .purged }
    }
  }

  /// What happened in a zone.
  public enum RecordZoneChange {
    /// A record was made or changed.
    public struct Modification: Sendable {
      /// The record as it is now.
      public let record: CKRecord
    }

    /// A record was deleted.
    public struct Deletion: Sendable {
      /// The name of the record.
      public let recordID: CKRecord.ID
      /// The type of the record.
      public let recordType: CKRecord.RecordType
    }
  }

  /// Fetches which zones changed since a place.
  ///
  /// - Returns: What changed, the place up to which it is told, and whether there is more behind
  ///   it.
  public func databaseChanges(
    since changeToken: CKServerChangeToken?, resultsLimit: Int? = nil
  ) async throws -> (
    modifications: [DatabaseChange.Modification], deletions: [DatabaseChange.Deletion],
    changeToken: CKServerChangeToken, moreComing: Bool
  ) {
    let page = try await work().databaseChanges(since: changeToken, limit: resultsLimit)
    return (
      page.changed.map { DatabaseChange.Modification(zoneID: $0) },
      page.deleted.map { DatabaseChange.Deletion(zoneID: $0.zoneID, reason: $0.reason) },
      page.token, page.moreComing
    )
  }

  /// Fetches what changed in a zone since a place.
  ///
  /// - Returns: What became of each record, the place up to which it is told, and whether there is
  ///   more behind it.
  /// - Throws: Also where a record did not come that can be had another time, as with a network
  ///   that is gone or a disk that is full: there is no place behind it.
  public func recordZoneChanges(
    inZoneWith zoneID: CKRecordZone.ID, since changeToken: CKServerChangeToken?,
    desiredKeys: [CKRecord.FieldKey]? = nil, resultsLimit: Int? = nil
  ) async throws -> (
    modificationResultsByID: [CKRecord.ID: Result<RecordZoneChange.Modification, any Error>],
    deletions: [RecordZoneChange.Deletion], changeToken: CKServerChangeToken, moreComing: Bool
  ) {
    let wish = ZoneChangesRequest(
      zoneID: zoneID, since: changeToken, limit: resultsLimit, desiredKeys: desiredKeys)
    var told: Result<ZoneChanges, CKError>?
    try await work().zoneChanges([wish]) { told = $1 }
    guard let page = try told?.flatMap(\.whole).get() else {
      throw CKError(.internalError, "The server said nothing of the zone.")
    }
    var results: [CKRecord.ID: Result<RecordZoneChange.Modification, any Error>] = [:]
    for (recordID, result) in page.records {
      results[recordID] = result.plain.map { RecordZoneChange.Modification(record: $0) }
    }
    let deletions = page.deleted.map {
      RecordZoneChange.Deletion(recordID: $0.recordID, recordType: $0.recordType)
    }
    return (results, deletions, page.token, page.moreComing)
  }

  // MARK: Completion handlers

  /// Fetches which zones changed since a place.
  public func fetchDatabaseChanges(
    since changeToken: CKServerChangeToken?, resultsLimit: Int? = nil,
    completionHandler:
      @escaping @Sendable (
        Result<
          (
            modifications: [DatabaseChange.Modification], deletions: [DatabaseChange.Deletion],
            changeToken: CKServerChangeToken, moreComing: Bool
          ), any Error
        >
      ) -> Void
  ) {
    answer(completionHandler) {
      try await self.databaseChanges(since: changeToken, resultsLimit: resultsLimit)
    }
  }

  /// Fetches what changed in a zone since a place.
  public func fetchRecordZoneChanges(
    inZoneWith zoneID: CKRecordZone.ID, since changeToken: CKServerChangeToken?,
    desiredKeys: [CKRecord.FieldKey]? = nil, resultsLimit: Int? = nil,
    completionHandler:
      @escaping @Sendable (
        Result<
          (
            modificationResultsByID: [CKRecord.ID: Result<
              RecordZoneChange.Modification, any Error
            >],
            deletions: [RecordZoneChange.Deletion], changeToken: CKServerChangeToken,
            moreComing: Bool
          ), any Error
        >
      ) -> Void
  ) {
    answer(completionHandler) {
      try await self.recordZoneChanges(
        inZoneWith: zoneID, since: changeToken, desiredKeys: desiredKeys, resultsLimit: resultsLimit
      )
    }
  }
}
