import Foundation

extension CKDatabase {
  /// The changes that a database reports.
  public enum DatabaseChange {
    /// A zone with changed records.
    public struct Modification: Sendable {
      /// The zone's ID.
      public let zoneID: CKRecordZone.ID

      package init(zoneID: CKRecordZone.ID) { self.zoneID = zoneID }
    }

    /// A deleted zone.
    public struct Deletion: Sendable {
      /// The reason for a zone's deletion.
      public enum Reason: Sendable {
        /// An app deleted the zone.
        case deleted
        /// The user deleted the app's data.
        case purged
        /// The user reset the keys of encrypted values.
        case encryptedDataReset
      }

      /// The zone's ID.
      public let zoneID: CKRecordZone.ID
      /// The reason for the deletion.
      public let reason: Reason
      /// Whether the user deleted the app's data.
      public var purged: Bool { reason == .purged }

      package init(zoneID: CKRecordZone.ID, reason: Reason) {
        (self.zoneID, self.reason) = (zoneID, reason)
      }
    }
  }

  /// The changes that a record zone reports.
  public enum RecordZoneChange {
    /// A record that was created or modified.
    public struct Modification: Sendable {
      /// The record in its current version.
      public let record: CKRecord

      package init(record: CKRecord) { self.record = record }
    }

    /// A deleted record.
    public struct Deletion: Sendable {
      /// The record's ID.
      public let recordID: CKRecord.ID
      /// The record's type.
      public let recordType: CKRecord.RecordType

      package init(recordID: CKRecord.ID, recordType: CKRecord.RecordType) {
        (self.recordID, self.recordType) = (recordID, recordType)
      }
    }
  }

  /// Fetches the zones that changed since a token.
  ///
  /// - Parameters:
  ///   - changeToken: The token of the previous fetch; nil to fetch everything.
  ///   - resultsLimit: The maximum number of zones; nil for the server's limit.
  /// - Returns: The changes, the token for the next fetch, and whether more changes are available.
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

  /// Fetches the changes in a zone since a token.
  ///
  /// - Parameters:
  ///   - zoneID: The zone.
  ///   - changeToken: The token of the previous fetch; nil to fetch everything.
  ///   - desiredKeys: The fields to fetch; nil for all.
  ///   - resultsLimit: The maximum number of records; nil for the server's limit.
  /// - Returns: A result for each record, the token for the next fetch, and whether more changes
  ///   are available.
  /// - Throws: An error also if a single record failed temporarily, as without a network or with a
  ///   full disk. The next fetch with a later token would skip the record.
  public func recordZoneChanges(
    inZoneWith zoneID: CKRecordZone.ID, since changeToken: CKServerChangeToken?,
    desiredKeys: [CKRecord.FieldKey]? = nil, resultsLimit: Int? = nil
  ) async throws -> (
    modificationResultsByID: [CKRecord.ID: Result<RecordZoneChange.Modification, any Error>],
    deletions: [RecordZoneChange.Deletion], changeToken: CKServerChangeToken, moreComing: Bool
  ) {
    let request = ZoneChangesRequest(
      zoneID: zoneID, since: changeToken, limit: resultsLimit, desiredKeys: desiredKeys)
    var outcome: Result<ZoneChanges, CKError>?
    try await work().zoneChanges([request]) { outcome = $1 }
    guard let page = try outcome?.flatMap(\.whole).get() else {
      throw CKError(.internalError, "The server's response does not contain the zone.")
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

  /// Fetches the zones that changed since a token.
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

  /// Fetches the changes in a zone since a token.
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
