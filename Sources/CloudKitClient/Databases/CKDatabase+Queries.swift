import Foundation

extension CKDatabase {
  /// Finds records that a query describes.
  ///
  /// - Parameters:
  ///   - zoneID: The zone to look in; nil for all.
  ///   - resultsLimit: How many at most.
  /// - Returns: What was found, and where to go on where there is more.
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
      work, try await work.place(of: query, in: zoneID), desiredKeys, resultsLimit)
  }

  /// Finds more records, from where an earlier query ended.
  public func records(
    continuingMatchFrom queryCursor: CKQueryOperation.Cursor,
    desiredKeys: [CKRecord.FieldKey]? = nil,
    resultsLimit: Int = CKQueryOperation.maximumResults
  ) async throws -> (
    matchResults: [(CKRecord.ID, Result<CKRecord, any Error>)],
    queryCursor: CKQueryOperation.Cursor?
  ) {
    try await find(try work(), queryCursor.place, desiredKeys, resultsLimit)
  }

  private func find(
    _ work: DatabaseWork, _ place: QueryPlace, _ desiredKeys: [CKRecord.FieldKey]?, _ limit: Int
  ) async throws -> (
    matchResults: [(CKRecord.ID, Result<CKRecord, any Error>)],
    queryCursor: CKQueryOperation.Cursor?
  ) {
    var found: [(CKRecord.ID, Result<CKRecord, any Error>)] = []
    let end = await work.query(place, desiredKeys: desiredKeys, limit: limit > 0 ? limit : nil) {
      found.append(($0, $1.plain))
    }
    // Who has some records goes on from there, and hears then why there were no more.
    let hasSome = found.contains { if case .success = $1 { true } else { false } }
    if !hasSome, let failure = end.failure { throw failure }
    return (found, end.next.map { CKQueryCursor($0) })
  }

  // MARK: Completion handlers

  /// Finds records that a query describes.
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

  /// Finds more records, from where an earlier query ended.
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

  /// Finds records that a query describes: as many as the server gives at once.
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
