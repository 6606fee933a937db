import Synchronization

extension CKSyncEngine {
  /// Sends once, by performing the actions of a `SendMachine`.
  func send(_ context: SendChangesContext) async throws(CKError) {
    let work = try work(context.options.operationGroup)
    var machine = SendMachine(context.options)
    var actions = machine.begin()
    while true {
      switch try await perform(actions, context) {
      case .next: actions = machine.next(state.current)
      case .modifyZones(let saves, let deletes):
        let results = await modify(saves, deletes, work)
        if results.all.contains(where: { $0.error == nil }) { notifyOtherEngines() }
        actions = machine.zonesSent(results)
      case .ask:
        let before = state.current
        let batch = try await callDelegate {
          await $0.nextRecordZoneChangeBatch(context, syncEngine: self)
        }
        actions = machine.gave(batch, askedAt: before)
      case .modifyRecords(let batch):
        let results = await modify(batch, work)
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

  private func modify(
    _ saves: [CKRecordZone.ID], _ deletes: [CKRecordZone.ID], _ work: DatabaseWork
  ) async -> SendMachine.ZoneResults {
    var results = SendMachine.ZoneResults()
    do throws(CKError) {
      // An earlier process may have performed pending changes without recording it.
      try await work.modifyZones(
        saving: saves.map { CKRecordZone(zoneID: $0) }, deleting: deletes,
        mayHaveStartedBefore: true,
        saved: { zoneID, result in
          switch result {
          case .success(let zone): results.saves.append((zone, nil))
          case .failure(let error): results.saves.append((CKRecordZone(zoneID: zoneID), error))
          }
        }, deleted: { results.deletes.append(($0, $1.error)) })
    } catch {
      // If no zone has a result, no request was performed.
      if results.all.isEmpty {
        results.saves = saves.map { (CKRecordZone(zoneID: $0), error) }
        results.deletes = deletes.map { ($0, error) }
      }
    }
    return results
  }

  private func modify(_ batch: RecordZoneChangeBatch, _ work: DatabaseWork) async
    -> SendMachine.RecordResults
  {
    let outcomes = ModificationOutcomes()
    let modification = RecordModification(
      work: work, policy: .ifServerRecordUnchanged, isAtomic: batch.atomicByZone,
      report: RecordModification.Report(
        saved: { outcomes.note($0, $1.error) }, deleted: { outcomes.note($0, $1.error) }))
    var failure: CKError?
    do throws(CKError) {
      try await modification.run(saving: batch.recordsToSave, deleting: batch.recordIDsToDelete)
    } catch {
      failure = error
    }
    var results = SendMachine.RecordResults()
    results.saves = batch.recordsToSave.map {
      ($0, outcomes.error(of: $0.recordID, otherwise: failure))
    }
    results.deletes = batch.recordIDsToDelete.map {
      ($0, outcomes.error(of: $0, otherwise: failure))
    }
    return results
  }
}

/// Collects the results of records.
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
