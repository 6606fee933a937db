import CloudKitClient

extension CKSyncEngine {
  /// Fetches once, by performing the actions of a `FetchMachine`.
  ///
  /// - Parameter zones: The zones that have changed, if notifications named them.
  func fetch(
    _ asked: FetchChangesContext, changed zones: Set<CKRecordZone.ID>? = nil
  ) async throws(CKError) {
    let options = try await callDelegate {
      await $0.nextFetchChangesOptions(asked, syncEngine: self)
    }
    let context = FetchChangesContext(reason: asked.reason, options: options)
    let requests = try requests(options.operationGroup)
    var machine = FetchMachine(options)
    var actions = machine.begin(state.current, changed: zones)
    while true {
      switch try await perform(actions, context) {
      case .list(let token): actions = await list(since: token, requests, &machine)
      case .fetch(let zoneID, let token):
        actions = await fetch(zoneID, since: token, requests, &machine)
      case .read(let zoneID, let recordIDs):
        actions = await read(recordIDs, of: zoneID, requests, &machine)
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
    _ recordIDs: [CKRecord.ID], of zoneID: CKRecordZone.ID, _ requests: SyncRequests,
    _ machine: inout FetchMachine
  ) async -> [FetchMachine.Action] {
    do throws(CKError) {
      return machine.read(zoneID, try await requests.records(recordIDs), state.current)
    } catch {
      return machine.readFailed(error, state.current)
    }
  }

  private func list(
    since token: String?, _ requests: SyncRequests, _ machine: inout FetchMachine
  ) async -> [FetchMachine.Action] {
    do throws(CKError) {
      try requests.checkCancellation()
      let page = try await requests.databaseChanges(
        since: token, limit: SyncLimits.changesPerPage)
      return machine.listed(page, state.current)
    } catch {
      return machine.listingFailed(error)
    }
  }

  private func fetch(
    _ zoneID: CKRecordZone.ID, since token: String?, _ requests: SyncRequests,
    _ machine: inout FetchMachine
  ) async -> [FetchMachine.Action] {
    do throws(CKError) {
      let page = try await requests.zoneChanges(
        in: zoneID, since: token, limit: SyncLimits.changesPerPage)
      return machine.fetched(zoneID, page, state.current)
    } catch {
      return machine.zoneFailed(zoneID, error, state.current)
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
