import Foundation

extension CKDatabase {
  /// Fetches a zone.
  public func recordZone(for zoneID: CKRecordZone.ID) async throws -> CKRecordZone {
    try await only(recordZones(for: [zoneID]), zoneID)
  }

  /// Fetches all zones of the database.
  public func allRecordZones() async throws -> [CKRecordZone] { try await work().allZones() }

  /// Fetches zones by their IDs.
  public func recordZones(
    for ids: [CKRecordZone.ID]
  ) async throws -> [CKRecordZone.ID: Result<CKRecordZone, any Error>] {
    try await results(for: ids) { try await work().zones(ids, $0) }
  }

  /// Creates a zone.
  ///
  /// Saving an existing zone has no effect.
  @discardableResult
  public func save(_ zone: CKRecordZone) async throws -> CKRecordZone {
    try await only(modifyRecordZones(saving: [zone], deleting: []).saveResults, zone.zoneID)
  }

  /// Deletes a zone and all its records.
  @discardableResult
  public func deleteRecordZone(withID zoneID: CKRecordZone.ID) async throws -> CKRecordZone.ID {
    try await only(modifyRecordZones(saving: [], deleting: [zoneID]).deleteResults, zoneID)
    return zoneID
  }

  /// Creates and deletes zones.
  public func modifyRecordZones(
    saving recordZonesToSave: [CKRecordZone], deleting recordZoneIDsToDelete: [CKRecordZone.ID]
  ) async throws -> (
    saveResults: [CKRecordZone.ID: Result<CKRecordZone, any Error>],
    deleteResults: [CKRecordZone.ID: Result<Void, any Error>]
  ) {
    let results = ModificationResults<CKRecordZone.ID, CKRecordZone>()
    return try await results.collect {
      try await work().modifyZones(
        saving: recordZonesToSave, deleting: recordZoneIDsToDelete, saved: results.addSaved,
        deleted: results.addDeleted)
    }
  }

  // MARK: Completion handlers

  /// Fetches all zones of the database.
  public func fetchAllRecordZones(
    completionHandler: @escaping @Sendable ([CKRecordZone]?, (any Error)?) -> Void
  ) {
    answer(completionHandler) { try await self.allRecordZones() }
  }

  /// Fetches a zone.
  public func fetch(
    withRecordZoneID zoneID: CKRecordZone.ID,
    completionHandler: @escaping @Sendable (CKRecordZone?, (any Error)?) -> Void
  ) {
    answer(completionHandler) { try await self.recordZone(for: zoneID) }
  }

  /// Fetches zones by their IDs.
  public func fetch(
    withRecordZoneIDs recordZoneIDs: [CKRecordZone.ID],
    completionHandler:
      @escaping @Sendable (Result<[CKRecordZone.ID: Result<CKRecordZone, any Error>], any Error>) ->
      Void
  ) {
    answer(completionHandler) { try await self.recordZones(for: recordZoneIDs) }
  }

  /// Creates a zone.
  ///
  /// Saving an existing zone has no effect.
  public func save(
    _ zone: CKRecordZone,
    completionHandler: @escaping @Sendable (CKRecordZone?, (any Error)?) -> Void
  ) {
    answer(completionHandler) { try await self.save(zone) }
  }

  /// Deletes a zone and all its records.
  public func delete(
    withRecordZoneID zoneID: CKRecordZone.ID,
    completionHandler: @escaping @Sendable (CKRecordZone.ID?, (any Error)?) -> Void
  ) {
    answer(completionHandler) { try await self.deleteRecordZone(withID: zoneID) }
  }

  /// Creates and deletes zones.
  public func modifyRecordZones(
    saving recordZonesToSave: [CKRecordZone], deleting recordZoneIDsToDelete: [CKRecordZone.ID],
    completionHandler:
      @escaping @Sendable (
        Result<
          (
            saveResults: [CKRecordZone.ID: Result<CKRecordZone, any Error>],
            deleteResults: [CKRecordZone.ID: Result<Void, any Error>]
          ), any Error
        >
      ) -> Void
  ) {
    answer(completionHandler) {
      try await self.modifyRecordZones(saving: recordZonesToSave, deleting: recordZoneIDsToDelete)
    }
  }
}
