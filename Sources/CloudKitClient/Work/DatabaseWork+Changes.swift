import CloudEncryption
import CloudRecords
import CloudWire
import Foundation

/// One page of the changed zones of a database.
package struct DatabaseChanges: Sendable {
  package var changed: [CKRecordZone.ID] = []
  package var deleted:
    [(zoneID: CKRecordZone.ID, reason: CKDatabase.DatabaseChange.Deletion.Reason)] = []
  package var token: CKServerChangeToken
  package var moreComing: Bool

  package init(token: CKServerChangeToken, moreComing: Bool) {
    self.token = token
    self.moreComing = moreComing
  }
}

extension CKDatabase.DatabaseChange.Deletion.Reason {
  /// Converts the server's error to the reason for a zone's deletion; nil if the zone was not
  /// deleted.
  fileprivate init?(_ error: CloudError) {
    switch (error.extension, error.code) {
    case (.userDeletedZone?, _): self = .purged
    case (.encryptedDataReset?, _): self = .encryptedDataReset
    case (_, .zoneNotFound): self = .deleted
    default: return nil
    }
  }
}

/// A request for the changes of one zone.
struct ZoneChangesRequest: Sendable {
  var zoneID: CKRecordZone.ID
  var since: CKServerChangeToken?
  var limit: Int?
  var desiredKeys: [CKRecord.FieldKey]?
}

/// One page of the changes in a zone.
package struct ZoneChanges: Sendable {
  package var records: [(recordID: CKRecord.ID, result: Result<CKRecord, CKError>)] = []
  package var deleted: [(recordID: CKRecord.ID, recordType: CKRecord.RecordType)] = []
  package var token: CKServerChangeToken
  package var moreComing: Bool

  package init(token: CKServerChangeToken, moreComing: Bool) {
    self.token = token
    self.moreComing = moreComing
  }

  /// The first record error that prevents the token from advancing, because the feed would not
  /// report the record again.
  var failure: CKError? {
    records.lazy.compactMap { if case .failure(let error) = $0.result { error } else { nil } }
      .first { !$0.allowsFeedToAdvance }
  }

  /// The page, or an error if its token must not be used.
  var whole: Result<ZoneChanges, CKError> { failure.map { .failure($0) } ?? .success(self) }
}

extension DatabaseWork {
  /// Fetches one page of the zones that changed since a token.
  func databaseChanges(
    since token: CKServerChangeToken?, limit: Int?
  ) async throws(CKError) -> DatabaseChanges {
    try checkHasChanges()
    let coding = try await coding()
    let answer = try await call(ChangesDatabaseRequest(syncToken: token?.text, resultsLimit: limit))
    guard !answer.moreComing || answer.syncToken != token?.text else { throw .noProgress }
    var changes = DatabaseChanges(
      token: CKServerChangeToken(answer.syncToken), moreComing: answer.moreComing)
    let reset = try await resetZones(among: answer.zones, coding)
    for change in answer.zones {
      switch change {
      case .changed(let zone): changes.changed.append(coding.zoneID(zone))
      case .deleted(let zone):
        let zoneID = coding.zoneID(zone)
        changes.deleted.append((zoneID, reset.contains(zoneID) ? .encryptedDataReset : .deleted))
      case .failed(let zone, let error):
        // An unreadable zone counts as changed. Fetching its changes returns the error.
        if let reason = CKDatabase.DatabaseChange.Deletion.Reason(error) {
          changes.deleted.append((coding.zoneID(zone), reason))
        } else {
          changes.changed.append(coding.zoneID(zone))
        }
      }
    }
    func gone(areReset: Bool) -> Set<RecordZoneIdentifier> {
      Set(
        changes.deleted.filter { ($0.reason == .encryptedDataReset) == areReset }
          .map { coding.identifier($0.zoneID) })
    }
    await session.vault.forgetKeys(of: gone(areReset: false))
    await session.vault.handleReset(of: gone(areReset: true))
    return changes
  }

  /// Finds the deleted zones whose keys were reset.
  ///
  /// The feed omits the reason, but a lookup returns it.
  private func resetZones(
    among zoneChanges: [ChangesDatabaseResponse.ZoneChange], _ coding: RecordCoding
  ) async throws(CKError) -> Set<CKRecordZone.ID> {
    let gone = zoneChanges.compactMap {
      if case .deleted(let zone) = $0 { coding.zoneID(zone) } else { nil }
    }
    var reset: Set<CKRecordZone.ID> = []
    try await zones(gone) { zoneID, result in
      guard case .failure(let error) = result,
        error.userInfo[CKErrorUserDidResetEncryptedDataKey] != nil
      else {
        return
      }
      reset.insert(zoneID)
    }
    return reset
  }

  /// Fetches one page for each zone, in the order of the requests.
  ///
  /// - Throws: An error that ends the whole fetch, after the results so far were reported.
  func zoneChanges(
    _ requests: [ZoneChangesRequest],
    _ each: (ZoneChangesRequest, Result<ZoneChanges, CKError>) async -> Void
  ) async throws(CKError) {
    try checkHasChanges()
    let coding = try await coding()
    try await inBatches(requests) { batch throws(CKError) in
      let answers = try await call(ChangesZoneRequest(zones: batch.map { coding.input($0) })).zones
      try check(answers.count, of: batch.count)
      // A full response contains no changes of the later zones and repeats their tokens. So a
      // repeated token is an error only if no zone makes progress.
      let makesProgress = zip(batch, answers).contains { $1.makesProgress(from: $0.since?.text) }
      for (request, answer) in zip(batch, answers) {
        switch answer {
        case .failed(_, let error):
          await note(error, in: request.zoneID, coding)
          await each(request, .failure(CKError(error)))
        case .page where !makesProgress && answer.makesNoProgress(at: request.since?.text):
          await each(request, .failure(.noProgress))
        case .page(_, let page):
          let changes = await changes(page, of: request, coding)
          await each(request, .success(changes))
          if let failure = changes.failure, failure.preventsAllRequests { throw failure }
        }
      }
    }
  }

  /// Removes the keys of a zone whose encrypted data was reset, because the recreated zone has
  /// other keys.
  ///
  /// If the zone was recreated before this device looked, the reason is unknown, and the keys are
  /// removed too.
  func note(_ error: CloudError, in zoneID: CKRecordZone.ID, _ coding: RecordCoding) async {
    guard error.extension == .encryptedDataReset || error.extension == .zoneRecreated else {
      return
    }
    await session.vault.handleReset(of: [coding.identifier(zoneID)])
  }

  private func changes(
    _ page: ZoneFeedPage, of request: ZoneChangesRequest, _ coding: RecordCoding
  ) async -> ZoneChanges {
    var changes = ZoneChanges(
      token: CKServerChangeToken(page.syncToken), moreComing: page.moreComing)
    var left: [(CKRecord.ID, RecordResult)] = []
    for result in page.records {
      let recordID = coding.recordID(of: result, in: request.zoneID)
      if case .deleted(let gone) = result {
        changes.deleted.append((recordID, gone.recordType ?? ""))
      } else {
        left.append((recordID, result))
      }
    }
    await MissingKeys.$noted.withValue(MissingKeys()) {
      // If the token cannot advance, the page is fetched again, so the remaining files can wait.
      _ = await fetchEach(
        left, coding, desiredKeys: request.desiredKeys, endedBy: { !$0.allowsFeedToAdvance }
      ) {
        changes.records.append(($0, $1))
      }
    }
    return changes
  }

  private func checkHasChanges() throws(CKError) {
    guard scope == .public else { return }
    throw CKError(
      .badDatabase, "The public database has no change feed. Use queries and query subscriptions.")
  }
}

extension ChangesZoneResponse.Item {
  /// Whether the server reports more changes but returned the same token.
  fileprivate func makesNoProgress(at token: String?) -> Bool {
    guard case .page(_, let page) = self else { return false }
    return page.moreComing && page.syncToken == token
  }

  /// Whether the page advances the zone's token or completes the zone.
  fileprivate func makesProgress(from token: String?) -> Bool {
    guard case .page = self else { return false }
    return !makesNoProgress(at: token)
  }
}

extension RecordCoding {
  fileprivate func input(_ request: ZoneChangesRequest) -> ZoneFeedInput {
    var input = ZoneFeedInput(zone: reference(request.zoneID))
    input.syncToken = request.since?.text
    input.resultsLimit = request.limit
    input.desiredKeys = request.desiredKeys
    return input
  }
}
