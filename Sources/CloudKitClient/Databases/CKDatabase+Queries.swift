import Foundation

extension CKDatabase {
  /// Fetches the records that match a query.
  ///
  /// - Parameters:
  ///   - query: The query.
  ///   - zoneID: The zone to search; nil for all.
  ///   - desiredKeys: The fields to fetch; nil for all.
  ///   - resultsLimit: The maximum number of records.
  /// - Returns: The results, and a cursor if there are more.
  public func records(
    matching query: CKQuery, inZoneWith zoneID: CKRecordZone.ID? = nil,
    desiredKeys: [CKRecord.FieldKey]? = nil,
    resultsLimit: Int = CKQueryOperation.maximumResults
  ) async throws -> (
    matchResults: [(CKRecord.ID, Result<CKRecord, any Error>)],
    queryCursor: CKQueryOperation.Cursor?
  ) {
    let work = try work()
    return try await find(
      work, try await work.position(of: query, in: zoneID), desiredKeys, resultsLimit)
  }

  /// Fetches more results of an earlier query, starting at its cursor.
  public func records(
    continuingMatchFrom queryCursor: CKQueryOperation.Cursor,
    desiredKeys: [CKRecord.FieldKey]? = nil,
    resultsLimit: Int = CKQueryOperation.maximumResults
  ) async throws -> (
    matchResults: [(CKRecord.ID, Result<CKRecord, any Error>)],
    queryCursor: CKQueryOperation.Cursor?
  ) {
    try await find(try work(), queryCursor.position, desiredKeys, resultsLimit)
  }

  private func find(
    _ work: DatabaseWork, _ position: QueryPosition, _ desiredKeys: [CKRecord.FieldKey]?,
    _ limit: Int
  ) async throws -> (
    matchResults: [(CKRecord.ID, Result<CKRecord, any Error>)],
    queryCursor: CKQueryOperation.Cursor?
  ) {
    var found: [(CKRecord.ID, Result<CKRecord, any Error>)] = []
    let end = await work.query(position, desiredKeys: desiredKeys, limit: limit > 0 ? limit : nil) {
      found.append(($0, $1.plain))
    }
    // A partial result is returned, and the next fetch reports the error. A cancelled page throws,
    // because its cursor would repeat the records that the page has delivered.
    let hasSome = found.contains { if case .success = $1 { true } else { false } }
    if let failure = end.failure, !hasSome || failure.code == .operationCancelled { throw failure }
    return (found, end.next.map { CKQueryCursor($0) })
  }

  // MARK: Completion handlers

  /// Fetches the records that match a query.
  public func fetch(
    withQuery query: CKQuery, inZoneWith zoneID: CKRecordZone.ID? = nil,
    desiredKeys: [CKRecord.FieldKey]? = nil,
    resultsLimit: Int = CKQueryOperation.maximumResults,
    completionHandler:
      @escaping @Sendable (
        Result<
          (
            matchResults: [(CKRecord.ID, Result<CKRecord, any Error>)],
            queryCursor: CKQueryOperation.Cursor?
          ),
          any Error
        >
      ) -> Void
  ) {
    answer(completionHandler) {
      try await self.records(
        matching: query, inZoneWith: zoneID, desiredKeys: desiredKeys, resultsLimit: resultsLimit)
    }
  }

  /// Fetches more results of an earlier query, starting at its cursor.
  public func fetch(
    withCursor queryCursor: CKQueryOperation.Cursor, desiredKeys: [CKRecord.FieldKey]? = nil,
    resultsLimit: Int = CKQueryOperation.maximumResults,
    completionHandler:
      @escaping @Sendable (
        Result<
          (
            matchResults: [(CKRecord.ID, Result<CKRecord, any Error>)],
            queryCursor: CKQueryOperation.Cursor?
          ),
          any Error
        >
      ) -> Void
  ) {
    answer(completionHandler) {
      try await self.records(
        continuingMatchFrom: queryCursor, desiredKeys: desiredKeys, resultsLimit: resultsLimit)
    }
  }

  /// Fetches the records that match a query, up to the server's limit.
  @available(
    *, deprecated,
    message: "Use fetch(withQuery:inZoneWith:desiredKeys:resultsLimit:completionHandler:)."
  )
  public func perform(
    _ query: CKQuery, inZoneWith zoneID: CKRecordZone.ID?,
    completionHandler: @escaping @Sendable ([CKRecord]?, (any Error)?) -> Void
  ) {
    answer(completionHandler) {
      try await self.records(matching: query, inZoneWith: zoneID).matchResults.map {
        try $0.1.get()
      }
    }
  }
}
