extension CKSyncEngine {
  /// Fetches once, by performing the actions of a `FetchMachine`.
  func fetch(_ asked: FetchChangesContext) async throws(CKError) {
    let options = try await callDelegate {
      await $0.nextFetchChangesOptions(asked, syncEngine: self)
    }
    let context = FetchChangesContext(reason: asked.reason, options: options)
    let work = try work(options.operationGroup)
    var machine = FetchMachine(options)
    var actions = machine.begin(state.current)
    while true {
      switch try await perform(actions, context) {
      case .list(let token): actions = try await list(since: token, work, &machine)
      case .fetch(let zoneID, let token):
        actions = try await fetch(zoneID, since: token, work, &machine)
      case .read(let zoneID, let recordIDs):
        actions = await read(recordIDs, of: zoneID, work, &machine)
      case .end(nil): return
      case .end(let error?): throw error
      case .deliver, .apply, .update, nil:
        preconditionFailure("A fetch continues with a request or ends.")
      }
    }
  }

  /// Performs actions up to the first one that sends a request or ends the fetch, and returns that
  /// one.
  private func perform(
    _ actions: [FetchMachine.Action], _ context: FetchChangesContext
  ) async throws(CKError) -> FetchMachine.Action? {
    for action in actions {
      switch action {
      case .deliver(let notice): try await deliver(notice.event(context))
      case .apply(let change): state.apply(change)
      case .update: try await deliverStateUpdate()
      case .list, .fetch, .read, .end: return action
      }
    }
    return nil
  }

  private func read(
    _ recordIDs: [CKRecord.ID], of zoneID: CKRecordZone.ID, _ work: DatabaseWork,
    _ machine: inout FetchMachine
  ) async -> [FetchMachine.Action] {
    var results: [(recordID: CKRecord.ID, result: Result<CKRecord, CKError>)] = []
    do throws(CKError) {
      try await work.records(recordIDs, desiredKeys: nil) { results.append(($0, $1)) }
    } catch {
      return machine.readFailed(error, state.current)
    }
    return machine.read(zoneID, results, state.current)
  }

  private func list(
    since token: String?, _ work: DatabaseWork, _ machine: inout FetchMachine
  ) async throws(CKError) -> [FetchMachine.Action] {
    do throws(CKError) {
      try work.checkCancellation()
      let page = try await work.databaseChanges(
        since: token.map { CKServerChangeToken($0) }, limit: SyncLimits.changesPerPage)
      return machine.listed(page, state.current)
    } catch {
      return machine.listingFailed(error)
    }
  }

  private func fetch(
    _ zoneID: CKRecordZone.ID, since token: String?, _ work: DatabaseWork,
    _ machine: inout FetchMachine
  ) async throws(CKError) -> [FetchMachine.Action] {
    let request = ZoneChangesRequest(
      zoneID: zoneID, since: token.map { CKServerChangeToken($0) },
      limit: SyncLimits.changesPerPage, desiredKeys: nil)
    var outcome: Result<ZoneChanges, CKError>?
    do throws(CKError) {
      try await work.zoneChanges([request]) { outcome = $1 }
    } catch {
      return machine.zoneFailed(zoneID, error, state.current)
    }
    switch outcome {
    case .success(let page): return machine.fetched(zoneID, page, state.current)
    case .failure(let error): return machine.zoneFailed(zoneID, error, state.current)
    case nil:
      return machine.zoneFailed(
        zoneID, CKError(.internalError, "The server's response does not contain the zone."),
        state.current)
    }
  }
}

extension FetchMachine.Notice {
  fileprivate func event(_ context: CKSyncEngine.FetchChangesContext) -> CKSyncEngine.Event {
    switch self {
    case .willFetch: .willFetchChanges(.init(context: context))
    case .database(let changed, let gone):
      .fetchedDatabaseChanges(
        .init(
          modifications: changed.map { CKDatabase.DatabaseChange.Modification(zoneID: $0) },
          deletions: gone))
    case .willFetchZone(let zoneID): .willFetchRecordZoneChanges(.init(zoneID: zoneID))
    case .zone(let changed, let deleted):
      .fetchedRecordZoneChanges(
        .init(
          modifications: changed.map { CKDatabase.RecordZoneChange.Modification(record: $0) },
          deletions: deleted))
    case .didFetchZone(let zoneID, let error, let there):
      .didFetchRecordZoneChanges(.init(zoneID: zoneID, error: error, recordIDsInZone: there))
    case .didFetch: .didFetchChanges(.init(context: context))
    }
  }
}
