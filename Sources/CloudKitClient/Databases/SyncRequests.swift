import Synchronization

/// The requests of a sync engine to its database, in the name of one session.
package struct SyncRequests: Sendable {
  private let work: DatabaseWork

  /// Prepares requests as the current user.
  ///
  /// - Parameter group: The group whose configuration applies in addition to the database's.
  package init(to database: CKDatabase, _ group: CKOperationGroup?) throws(CKError) {
    var work = try database.work()
    let own = database.configuration ?? CKOperation.Configuration()
    work.options = CallOptions(
      own.filled(from: group?.defaultConfiguration), at: work.session.dependencies.monotonicNow())
    self.work = work
  }

  /// The session that the requests use.
  package var session: CloudSession { work.session }

  /// Throws if the task was cancelled.
  package func checkCancellation() throws(CKError) { try work.checkCancellation() }

  /// The record name of the signed-in user; nil if there is none.
  package func userRecordName() async throws(CKError) -> String? {
    try await work.session.userRecordName(work.options)
  }

  // MARK: Fetching

  /// Fetches one page of the zones that changed since a token.
  package func databaseChanges(
    since token: String?, limit: Int
  ) async throws(CKError) -> DatabaseChanges {
    try await work.databaseChanges(since: token.map { CKServerChangeToken($0) }, limit: limit)
  }

  /// Fetches one page of the changes in a zone since a token.
  package func zoneChanges(
    in zoneID: CKRecordZone.ID, since token: String?, limit: Int
  ) async throws(CKError) -> ZoneChanges {
    let request = ZoneChangesRequest(
      zoneID: zoneID, since: token.map { CKServerChangeToken($0) }, limit: limit, desiredKeys: nil)
    var outcome: Result<ZoneChanges, CKError>?
    try await work.zoneChanges([request]) { outcome = $1 }
    guard let outcome else {
      throw CKError(.internalError, "The server's response does not contain the zone.")
    }
    return try outcome.get()
  }

  /// Fetches records by their IDs.
  package func records(
    _ recordIDs: [CKRecord.ID]
  ) async throws(CKError) -> [(recordID: CKRecord.ID, result: Result<CKRecord, CKError>)] {
    var results: [(recordID: CKRecord.ID, result: Result<CKRecord, CKError>)] = []
    try await work.records(recordIDs, desiredKeys: nil) { results.append(($0, $1)) }
    return results
  }

  // MARK: Sending

  /// Creates and deletes zones, and returns a result for each.
  package func modifyZones(
    saving saves: [CKRecordZone.ID], deleting deletes: [CKRecordZone.ID]
  ) async -> (
    saves: [(zone: CKRecordZone, error: CKError?)],
    deletes: [(zoneID: CKRecordZone.ID, error: CKError?)]
  ) {
    var saved: [(zone: CKRecordZone, error: CKError?)] = []
    var deleted: [(zoneID: CKRecordZone.ID, error: CKError?)] = []
    // An earlier process may have performed pending changes without recording it. An error that
    // ends the work is in the results of the zones.
    try? await work.modifyZones(
      saving: saves.map { CKRecordZone(zoneID: $0) }, deleting: deletes,
      mayHaveStartedBefore: true,
      saved: { zoneID, result in
        saved.append(((try? result.get()) ?? CKRecordZone(zoneID: zoneID), result.error))
      }, deleted: { deleted.append(($0, $1.error)) })
    return (saved, deleted)
  }

  /// Saves and deletes records, and returns the error of each, in the given order.
  package func modifyRecords(
    saving saves: [CKRecord], deleting deletes: [CKRecord.ID], isAtomic: Bool
  ) async -> (
    saves: [(record: CKRecord, error: CKError?)],
    deletes: [(recordID: CKRecord.ID, error: CKError?)]
  ) {
    let outcomes = ModificationOutcomes()
    let modification = RecordModification(
      work: work, policy: .ifServerRecordUnchanged, isAtomic: isAtomic,
      report: RecordModification.Report(
        saved: { outcomes.note($0, $1.error) }, deleted: { outcomes.note($0, $1.error) }))
    var failure: CKError?
    do throws(CKError) {
      try await modification.run(saving: saves, deleting: deletes)
    } catch {
      failure = error
    }
    return (
      saves.map { ($0, outcomes.error(of: $0.recordID, otherwise: failure)) },
      deletes.map { ($0, outcomes.error(of: $0, otherwise: failure)) }
    )
  }

  // MARK: Subscriptions

  /// The IDs of the user's subscriptions to the database.
  package func databaseSubscriptionIDs() async throws(CKError) -> [CKSubscription.ID] {
    try await work.allSubscriptions().filter { $0 is CKDatabaseSubscription }.map(\.subscriptionID)
  }

  /// Subscribes to the database.
  package func subscribe(as subscriptionID: CKSubscription.ID) async throws(CKError) {
    var failure: CKError?
    try await work.modifySubscriptions(
      saving: [CKDatabaseSubscription(subscriptionID: subscriptionID)], deleting: [],
      saved: { failure = $1.error }, deleted: { _, _ in })
    if let failure { throw failure }
  }
}

/// Collects the errors of records.
private final class ModificationOutcomes: Sendable {
  private let errors = Mutex<[CKRecord.ID: CKError?]>([:])

  func note(_ recordID: CKRecord.ID, _ error: CKError?) {
    errors.withLock { $0[recordID] = .some(error) }
  }

  /// The error of a record; nil for success.
  func error(of recordID: CKRecord.ID, otherwise failure: CKError?) -> CKError? {
    let reported = errors.withLock { $0[recordID] }
    return reported ?? failure
      ?? CKError(.internalError, "The record \(recordID.recordName) has no result.")
  }
}
