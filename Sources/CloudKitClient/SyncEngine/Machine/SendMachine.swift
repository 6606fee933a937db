/// Decides the steps of sending once.
///
/// ```
/// begin ──▶ next ──zones to send──▶ zones ──▶ next
///            │ ▲ none
///            │ └───────────────────────────────────────┐ all of it sent
///            └──▶ asking ──a batch──▶ sending ─────────┤
///                    │ no batch          │  └──half left──▶ sending
///                    ▼                   ▼ something that passes by itself
///                   end                 end
/// ```
///
/// - Next: nothing is on its way.
/// - Zones: zones are on their way; records go after them, also where the program wishes for a zone
///   when it hears that one is missing.
/// - Asking: the program decides what goes next.
/// - Sending: a batch is on its way, or half of one that was too large.
///
/// What was sent leaves the list of pending changes before the program is told, so that it can wish
/// the same again when it hears of a failure. What is remembered is kept after that: who crashes in
/// between sends it once more.
package struct SendMachine: ~Copyable {
  /// What is to be done.
  package enum Action: Sendable {
    case tell(Notice)
    /// To be remembered.
    case note(SyncState.Change)
    /// The program is to keep what is remembered.
    case update
    /// The machine is asked again, with the state as it is then.
    case next
    case modifyZones(saving: [CKRecordZone.ID], deleting: [CKRecordZone.ID])
    /// The program is asked for a batch.
    case ask
    case modifyRecords(CKSyncEngine.RecordZoneChangeBatch)
    case end(CKError?)
  }

  /// What the program is told.
  package enum Notice: Sendable {
    case willSend
    case zones(ZoneResults)
    case records(RecordResults)
    case didSend
  }

  /// What became of zones, in the order in which they were sent.
  package struct ZoneResults: Sendable {
    package var saves: [(zone: CKRecordZone, error: CKError?)] = []
    package var deletes: [(zoneID: CKRecordZone.ID, error: CKError?)] = []

    package init() {}

    var all: [(zoneID: CKRecordZone.ID, error: CKError?)] {
      saves.map { ($0.zone.zoneID, $0.error) } + deletes
    }
  }

  /// What became of records, in the order in which they were sent.
  package struct RecordResults: Sendable {
    package var saves: [(record: CKRecord, error: CKError?)] = []
    package var deletes: [(recordID: CKRecord.ID, error: CKError?)] = []

    package init() {}

    var all: [(recordID: CKRecord.ID, error: CKError?)] {
      saves.map { ($0.record.recordID, $0.error) } + deletes
    }
  }

  private let scope: CKSyncEngine.SendChangesOptions.Scope
  /// The last wish that what is on its way can contain.
  private var stamp: UInt64 = 0
  /// What is left of batches that were too large.
  private var halves: [CKSyncEngine.RecordZoneChangeBatch] = []

  package init(_ options: CKSyncEngine.SendChangesOptions) { scope = options.scope }

  // MARK: Zones

  package func begin() -> [Action] { [.tell(.willSend), .next] }

  /// Nothing is on its way.
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

  /// The server has answered what became of the zones.
  package mutating func zonesSent(_ results: ZoneResults) -> [Action] {
    let done = results.all.filter { $0.error?.keepsPendingChange != true }.map(\.zoneID)
    let actions: [Action] = [
      .note(.sentZones(done, wishedBy: stamp)), .tell(.zones(results)), .update,
    ]
    return actions + (results.all.passingError.map(Self.stop) ?? [.next])
  }

  // MARK: Records

  /// The program gives a batch, or has no more.
  ///
  /// - Parameter state: As it was before the program was asked: what is wished later is not in the
  ///   batch.
  package mutating func gave(_ batch: CKSyncEngine.RecordZoneChangeBatch?, askedAt state: SyncState)
    -> [Action]
  {
    guard let batch, batch.count > 0 else {
      guard state.hasUntracked else { return Self.stop(nil) }
      return [.note(.untrackedSent(wishedBy: state.untrackedStamp)), .update] + Self.stop(nil)
    }
    stamp = state.records.stamp
    return [.modifyRecords(batch)]
  }

  /// The server has answered what became of a batch.
  package mutating func recordsSent(
    _ batch: CKSyncEngine.RecordZoneChangeBatch, _ results: RecordResults
  ) -> [Action] {
    let told = splitting(batch, results)
    let done = told.all.filter { $0.error?.keepsPendingChange != true }.map(\.recordID)
    var actions: [Action] = []
    if !done.isEmpty { actions.append(.note(.sentRecords(done, wishedBy: stamp))) }
    if !told.all.isEmpty { actions += [.tell(.records(told)), .update] }
    if let error = told.all.passingError { return actions + Self.stop(error) }
    // Where one thing keeps others from being saved, that one is done; without it the others would
    // fail for ever.
    if done.isEmpty, let error = told.all.first?.error { return actions + Self.stop(error) }
    if !halves.isEmpty { return actions + [.modifyRecords(halves.removeFirst())] }
    return actions + [.next]
  }

  /// Sends what was too much at once in two halves.
  ///
  /// - Returns: What became of the rest, which the program is told.
  private mutating func splitting(
    _ batch: CKSyncEngine.RecordZoneChangeBatch, _ results: RecordResults
  ) -> RecordResults {
    // Who wants all or nothing decides what belongs together: halves would break the promise.
    guard !batch.atomicByZone, batch.count > 1 else { return results }
    let saves = results.saves.filter { $0.error?.code == .limitExceeded }.map(\.record)
    let deletes = results.deletes.filter { $0.error?.code == .limitExceeded }.map(\.recordID)
    halves = CKSyncEngine.RecordZoneChangeBatch.halves(saves, deletes) + halves
    var told = results
    told.saves.removeAll { $0.error?.code == .limitExceeded }
    told.deletes.removeAll { $0.error?.code == .limitExceeded }
    return told
  }

  private static func stop(_ error: CKError?) -> [Action] { [.tell(.didSend), .end(error)] }
}

extension Array {
  /// The first thing that went wrong and passes by itself.
  fileprivate func firstPassing(_ error: (Element) -> CKError?) -> CKError? {
    lazy.compactMap(error).first(where: \.passesByItself)
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

  /// The same changes in two batches, in their order; none where there are none.
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
