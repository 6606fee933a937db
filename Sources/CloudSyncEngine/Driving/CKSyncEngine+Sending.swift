import CloudKitClient

extension CKSyncEngine {
  /// Sends once, by performing the actions of a `SendMachine`.
  func send(_ context: SendChangesContext) async throws(CKError) {
    let requests = try requests(context.options.operationGroup)
    var machine = SendMachine(context.options)
    var actions = machine.begin()
    while true {
      switch try await perform(actions, context) {
      case .next: actions = machine.next(state.current)
      case .modifyZones(let saves, let deletes):
        let results = SendMachine.ZoneResults(
          await requests.modifyZones(saving: saves, deleting: deletes))
        if results.all.contains(where: { $0.error == nil }) { notifyOtherEngines() }
        actions = machine.zonesSent(results)
      case .ask:
        let before = state.current
        let batch = try await callDelegate {
          await $0.nextRecordZoneChangeBatch(context, syncEngine: self)
        }
        actions = machine.gave(batch, askedAt: before)
      case .modifyRecords(let batch):
        let results = SendMachine.RecordResults(
          await requests.modifyRecords(
            saving: batch.recordsToSave, deleting: batch.recordIDsToDelete,
            isAtomic: batch.atomicByZone))
        if results.all.contains(where: { $0.error == nil }) { notifyOtherEngines() }
        actions = machine.recordsSent(batch, results)
      case .end(nil): return
      case .end(let error?): throw error
      case .deliver, .apply, .update, nil:
        preconditionFailure("Sending continues with a request or ends.")
      }
    }
  }

  /// Notifies the other engines of this process.
  ///
  /// The server notifies other devices only.
  private func notifyOtherEngines() {
    try? database.container.binding().reportSave(
      in: database.databaseScope, by: ObjectIdentifier(self))
  }

  /// Performs actions up to the first one that sends a request or ends the operation, and returns
  /// that one.
  private func perform(
    _ actions: [SendMachine.Action], _ context: SendChangesContext
  ) async throws(CKError) -> SendMachine.Action? {
    for action in actions {
      switch action {
      case .deliver(let notice): try await deliver(notice.event(context))
      case .apply(let change): state.apply(change)
      case .update: try await deliverStateUpdate()
      case .next, .modifyZones, .ask, .modifyRecords, .end: return action
      }
    }
    return nil
  }
}

extension SendMachine.Notice {
  fileprivate func event(_ context: CKSyncEngine.SendChangesContext) -> CKSyncEngine.Event {
    switch self {
    case .willSend: .willSendChanges(.init(context: context))
    case .zones(let results): .sentDatabaseChanges(results.event)
    case .records(let results): .sentRecordZoneChanges(results.event)
    case .didSend: .didSendChanges(.init(context: context))
    }
  }
}

extension SendMachine.ZoneResults {
  fileprivate var event: CKSyncEngine.Event.SentDatabaseChanges {
    .init(
      savedZones: saves.filter { $0.error == nil }.map(\.zone),
      failedZoneSaves: saves.compactMap { save in
        save.error.map { .init(zone: save.zone, error: $0) }
      },
      deletedZoneIDs: deletes.filter { $0.error == nil }.map(\.zoneID),
      failedZoneDeletes: Dictionary(
        deletes.compactMap { delete in delete.error.map { (delete.zoneID, $0) } }
      ) { $1 })
  }
}

extension SendMachine.RecordResults {
  fileprivate var event: CKSyncEngine.Event.SentRecordZoneChanges {
    .init(
      savedRecords: saves.filter { $0.error == nil }.map(\.record),
      failedRecordSaves: saves.compactMap { save in
        save.error.map { .init(record: save.record, error: $0) }
      },
      deletedRecordIDs: deletes.filter { $0.error == nil }.map(\.recordID),
      failedRecordDeletes: Dictionary(
        deletes.compactMap { delete in delete.error.map { (delete.recordID, $0) } }
      ) {
        $1
      })
  }
}
