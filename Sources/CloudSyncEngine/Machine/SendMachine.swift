package import CloudKitClient

/// The state machine of one send operation.
///
/// ```
/// begin ──▶ next ──zones to send──▶ zones ──▶ next
///            │ ▲
///            │ └─────────────────────────────────────────────────┐ all of it sent
///            └──no zones──▶ asking ──a batch──▶ sending ─────────┤
///                              │ no batch          │  └──half left──▶ sending
///                              ▼                   ▼ a temporary error
///                             end                 end
/// ```
///
/// - Next: no request is running.
/// - Zones: zone changes are being sent, before records. If a record failed because its zone was
///   missing and the app then adds the zone, the zone is sent before the next records.
/// - Asking: the app decides what to send next.
/// - Sending: a batch is being sent, or half of one that was too large.
///
/// Sent changes are removed from the pending changes before the event is delivered, so that the app
/// can add them again after a failure. The state is stored after the event: after a crash in
/// between, the changes are sent again.
package struct SendMachine: ~Copyable {
  /// An action of the engine.
  package enum Action: Sendable {
    case deliver(Notice)
    /// Changes the state.
    case apply(SyncState.Change)
    /// Delivers a state update.
    case update
    /// Calls `next` with the current state.
    case next
    case modifyZones(saving: [CKRecordZone.ID], deleting: [CKRecordZone.ID])
    /// Asks the delegate for a batch.
    case ask
    case modifyRecords(CKSyncEngine.RecordZoneChangeBatch)
    case end(CKError?)
  }

  /// An event for the delegate.
  package enum Notice: Sendable {
    case willSend
    case zones(ZoneResults)
    case records(RecordResults)
    case didSend
  }

  /// The results of zones, in the order of sending.
  package struct ZoneResults: Sendable {
    package var saves: [(zone: CKRecordZone, error: CKError?)] = []
    package var deletes: [(zoneID: CKRecordZone.ID, error: CKError?)] = []

    package init() {}

    init(
      _ results: (
        saves: [(zone: CKRecordZone, error: CKError?)],
        deletes: [(zoneID: CKRecordZone.ID, error: CKError?)]
      )
    ) {
      (saves, deletes) = results
    }

    var all: [(zoneID: CKRecordZone.ID, error: CKError?)] {
      saves.map { ($0.zone.zoneID, $0.error) } + deletes
    }
  }

  /// The results of records, in the order of sending.
  package struct RecordResults: Sendable {
    package var saves: [(record: CKRecord, error: CKError?)] = []
    package var deletes: [(recordID: CKRecord.ID, error: CKError?)] = []

    package init() {}

    init(
      _ results: (
        saves: [(record: CKRecord, error: CKError?)],
        deletes: [(recordID: CKRecord.ID, error: CKError?)]
      )
    ) {
      (saves, deletes) = results
    }

    var all: [(recordID: CKRecord.ID, error: CKError?)] {
      saves.map { ($0.record.recordID, $0.error) } + deletes
    }
  }

  private let scope: CKSyncEngine.SendChangesOptions.Scope
  /// The stamp of the latest pending change that the running request may contain.
  private var stamp: UInt64 = 0
  /// The remaining parts of batches that were too large.
  private var halves: [CKSyncEngine.RecordZoneChangeBatch] = []

  package init(_ options: CKSyncEngine.SendChangesOptions) { scope = options.scope }

  // MARK: Zones

  package func begin() -> [Action] { [.deliver(.willSend), .next] }

  /// Sends zone changes, or asks for records.
  package mutating func next(_ state: SyncState) -> [Action] {
    let wanted = state.zones.items.filter { scope.wants($0.name) }
    guard !wanted.isEmpty else { return [.ask] }
    stamp = state.zones.stamp
    return [
      .modifyZones(
        saving: wanted.filter { $0.kind == .save }.map(\.name),
        deleting: wanted.filter { $0.kind == .delete }.map(\.name))
    ]
  }

  /// Handles the results of zones.
  package mutating func zonesSent(_ results: ZoneResults) -> [Action] {
    let done = results.all.filter { $0.error?.keepsPendingChange != true }.map(\.zoneID)
    let actions: [Action] = [
      .apply(.sentZones(done, upTo: stamp)), .deliver(.zones(results)), .update,
    ]
    if let error = results.all.passingError { return actions + Self.stop(error) }
    // If no zone is done, sending again would never end.
    if done.isEmpty, let error = results.all.first?.error { return actions + Self.stop(error) }
    return actions + [.next]
  }

  // MARK: Records

  /// Handles the delegate's batch; nil if it has no more changes.
  ///
  /// - Parameter state: The state before the delegate was asked. Changes that were added later may
  ///   be missing from the batch.
  package mutating func gave(_ batch: CKSyncEngine.RecordZoneChangeBatch?, askedAt state: SyncState)
    -> [Action]
  {
    guard let batch, batch.count > 0 else {
      // With a limited scope, the delegate may have untracked changes of other zones.
      guard state.hasUntracked, case .all = scope else { return Self.stop(nil) }
      return [.apply(.untrackedSent(upTo: state.untrackedStamp)), .update] + Self.stop(nil)
    }
    stamp = state.records.stamp
    return [.modifyRecords(batch)]
  }

  /// Handles the results of a batch.
  package mutating func recordsSent(
    _ batch: CKSyncEngine.RecordZoneChangeBatch, _ results: RecordResults
  ) -> [Action] {
    let reported = splitting(batch, results)
    let done = reported.all.filter { $0.error?.keepsPendingChange != true }.map(\.recordID)
    var actions: [Action] = []
    if !done.isEmpty { actions.append(.apply(.sentRecords(done, upTo: stamp))) }
    if !reported.all.isEmpty { actions += [.deliver(.records(reported)), .update] }
    if let error = reported.all.passingError { return actions + Self.stop(error) }
    // If one item blocks the others and nothing was saved, sending again would never end.
    if done.isEmpty, let error = reported.all.first?.error { return actions + Self.stop(error) }
    if !halves.isEmpty { return actions + [.modifyRecords(halves.removeFirst())] }
    return actions + [.next]
  }

  /// Splits a batch that exceeded the server's limit.
  ///
  /// - Returns: The results to report, without those of the items that are sent again.
  private mutating func splitting(
    _ batch: CKSyncEngine.RecordZoneChangeBatch, _ results: RecordResults
  ) -> RecordResults {
    // An atomic batch must not be split.
    guard !batch.atomicByZone, batch.count > 1 else { return results }
    let saves = results.saves.filter { $0.error?.code == .limitExceeded }.map(\.record)
    let deletes = results.deletes.filter { $0.error?.code == .limitExceeded }.map(\.recordID)
    halves = CKSyncEngine.RecordZoneChangeBatch.halves(saves, deletes) + halves
    var reported = results
    reported.saves.removeAll { $0.error?.code == .limitExceeded }
    reported.deletes.removeAll { $0.error?.code == .limitExceeded }
    return reported
  }

  private static func stop(_ error: CKError?) -> [Action] { [.deliver(.didSend), .end(error)] }
}

extension Array {
  /// The first temporary error.
  fileprivate func firstPassing(_ error: (Element) -> CKError?) -> CKError? {
    lazy.compactMap(error).first(where: \.isTemporary)
  }
}

extension [(zoneID: CKRecordZone.ID, error: CKError?)] {
  fileprivate var passingError: CKError? { firstPassing { $0.error } }
}

extension [(recordID: CKRecord.ID, error: CKError?)] {
  fileprivate var passingError: CKError? { firstPassing { $0.error } }
}

extension CKSyncEngine.RecordZoneChangeBatch {
  var count: Int { recordsToSave.count + recordIDsToDelete.count }

  /// Splits changes into two batches in their order; empty for no changes.
  fileprivate static func halves(_ saves: [CKRecord], _ deletes: [CKRecord.ID]) -> [Self] {
    let middle = (saves.count + deletes.count + 1) / 2
    let (left, right) = (saves.prefix(middle), saves.dropFirst(middle))
    let taken = deletes.prefix(middle - left.count)
    return [
      Self(recordsToSave: Array(left), recordIDsToDelete: Array(taken)),
      Self(recordsToSave: Array(right), recordIDsToDelete: Array(deletes.dropFirst(taken.count))),
    ].filter { $0.count > 0 }
  }
}
