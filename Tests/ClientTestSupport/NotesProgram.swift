package import CloudKitClient
package import CloudSyncEngine
import Foundation
import Synchronization

/// A program with notes that is a minimal correct delegate of a sync engine.
///
/// It records its notes and events.
package final class NotesProgram: CKSyncEngineDelegate {
  private struct State {
    var records: [CKRecord.ID: CKRecord] = [:]
    var lines: [String] = []
    var events: [CKSyncEngine.Event] = []
    var kept: CKSyncEngine.State.Serialization?
    var isBusy = false
    var overlaps = 0
    var observers: [(line: String, continuation: CheckedContinuation<Void, Never>)] = []
    var isAtomic = false
    var inquiry: (@Sendable (CKSyncEngine.Event, CKSyncEngine) async -> Void)?
    var fetchScope: CKSyncEngine.FetchChangesOptions.Scope?
  }

  private let state = Mutex(State())

  package init(_ records: [CKRecord] = []) {
    state.withLock { $0.records = Dictionary(records.map { ($0.recordID, $0) }) { $1 } }
  }

  // MARK: State for tests

  /// Its notes as text, in the order of their names.
  package var titles: [String] {
    let records = state.withLock { $0.records.values.map { $0 } }
    return records.map { "\($0.recordID.recordName): \($0["title"] as String? ?? "-")" }.sorted()
  }

  /// The events since the last call.
  ///
  /// Successive state updates count as one.
  package func heard() -> [String] {
    let lines = state.withLock { state in
      defer { state.lines = [] }
      return state.lines
    }
    return lines.enumerated().filter {
      $0.offset == 0 || $0.element != "stateUpdate" || lines[$0.offset - 1] != $0.element
    }
    .map(\.element)
  }

  package var events: [CKSyncEngine.Event] { state.withLock { $0.events } }
  /// The state that the engine last asked it to store.
  package var kept: CKSyncEngine.State.Serialization? { state.withLock { $0.kept } }
  /// The number of events that it received before it had returned from the previous one.
  package var overlaps: Int { state.withLock { $0.overlaps } }
  package var isAtomic: Bool {
    get { state.withLock { $0.isAtomic } }
    set { state.withLock { $0.isAtomic = newValue } }
  }
  package var fetchScope: CKSyncEngine.FetchChangesOptions.Scope? {
    get { state.withLock { $0.fetchScope } }
    set { state.withLock { $0.fetchScope = newValue } }
  }

  /// Calls a closure with each event.
  package func inquire(
    _ inquiry: @escaping @Sendable (CKSyncEngine.Event, CKSyncEngine) async -> Void
  ) {
    state.withLock { $0.inquiry = inquiry }
  }

  /// Waits until a line that begins with this text was recorded, unless it already was.
  package func hears(_ line: String) async {
    await withCheckedContinuation { continuation in
      let isHeard = state.withLock { state in
        if state.lines.contains(where: { $0.hasPrefix(line) }) { return true }
        state.observers.append((line, continuation))
        return false
      }
      if isHeard { continuation.resume() }
    }
  }

  package subscript(_ recordID: CKRecord.ID) -> CKRecord? {
    state.withLock { $0.records[recordID] }
  }

  /// Writes a note and adds it to the pending changes.
  package func write(_ title: String, to recordID: CKRecord.ID, _ engine: CKSyncEngine) {
    let record =
      self[recordID]?.copy() as? CKRecord ?? CKRecord(recordType: "Note", recordID: recordID)
    record["title"] = title
    state.withLock { $0.records[recordID] = record }
    engine.state.add(pendingRecordZoneChanges: [.saveRecord(recordID)])
  }

  package func delete(_ recordID: CKRecord.ID, _ engine: CKSyncEngine) {
    state.withLock { $0.records[recordID] = nil }
    engine.state.add(pendingRecordZoneChanges: [.deleteRecord(recordID)])
  }

  // MARK: CKSyncEngineDelegate

  package func nextFetchChangesOptions(
    _ context: CKSyncEngine.FetchChangesContext, syncEngine: CKSyncEngine
  ) async -> CKSyncEngine.FetchChangesOptions {
    var options = context.options
    if let fetchScope { options.scope = fetchScope }
    return options
  }

  package func nextRecordZoneChangeBatch(
    _ context: CKSyncEngine.SendChangesContext, syncEngine: CKSyncEngine
  ) async -> CKSyncEngine.RecordZoneChangeBatch? {
    let changes = syncEngine.state.pendingRecordZoneChanges.filter {
      context.options.scope.contains($0)
    }
    var batch = await CKSyncEngine.RecordZoneChangeBatch(pendingChanges: changes) { recordID in
      if let record = self[recordID] { return record }
      syncEngine.state.remove(pendingRecordZoneChanges: [.saveRecord(recordID)])
      return nil
    }
    batch?.atomicByZone = isAtomic
    return batch
  }

  package func handleEvent(_ event: CKSyncEngine.Event, syncEngine: CKSyncEngine) async {
    let inquiry = state.withLock { state in
      if state.isBusy { state.overlaps += 1 }
      state.isBusy = true
      return state.inquiry
    }
    await Task.yield()
    handle(event, syncEngine)
    await inquiry?(event, syncEngine)
    let heard = state.withLock { state in
      state.isBusy = false
      state.events.append(event)
      state.lines.append(event.description)
      let heard = state.observers.filter { event.description.hasPrefix($0.line) }
      state.observers.removeAll { event.description.hasPrefix($0.line) }
      return heard
    }
    for observer in heard { observer.continuation.resume() }
  }

  private func handle(_ event: CKSyncEngine.Event, _ engine: CKSyncEngine) {
    switch event {
    case .stateUpdate(let update): state.withLock { $0.kept = update.stateSerialization }
    case .accountChange(let change): handle(change, engine)
    case .fetchedDatabaseChanges(let changes):
      for gone in changes.deletions { handle(gone, engine) }
    case .fetchedRecordZoneChanges(let changes):
      let pending = Set(engine.state.pendingRecordZoneChanges)
      state.withLock { state in
        for change in changes.modifications {
          let record = change.record
          // A pending local change wins over a fetched one.
          if pending.contains(.saveRecord(record.recordID)),
            let own = state.records[record.recordID]
          {
            record["title"] = own["title"] as String?
          }
          state.records[record.recordID] = record
        }
        for change in changes.deletions { state.records[change.recordID] = nil }
      }
    case .didFetchRecordZoneChanges(let fetched):
      if let there = fetched.recordIDsInZone { forgetAllBut(there, in: fetched.zoneID, engine) }
    case .sentRecordZoneChanges(let sent): handle(sent, engine)
    default: break
    }
  }

  /// Deletes notes that the server does not have, except for pending ones.
  private func forgetAllBut(
    _ there: Set<CKRecord.ID>, in zoneID: CKRecordZone.ID, _ engine: CKSyncEngine
  ) {
    let pending = engine.state.pendingRecordZoneChanges
    state.withLock { state in
      state.records = state.records.filter { recordID, _ in
        recordID.zoneID != zoneID || there.contains(recordID)
          || pending.contains(.saveRecord(recordID))
      }
    }
  }

  private func handle(_ change: CKSyncEngine.Event.AccountChange, _ engine: CKSyncEngine) {
    if case .signIn = change.changeType { return sendEverything(of: nil, engine) }
    state.withLock { $0.records = [:] }
  }

  private func handle(_ gone: CKDatabase.DatabaseChange.Deletion, _ engine: CKSyncEngine) {
    guard gone.reason == .encryptedDataReset else {
      return state.withLock { state in
        state.records = state.records.filter { $0.key.zoneID != gone.zoneID }
      }
    }
    sendEverything(of: gone.zoneID, engine)
  }

  /// Adds all notes as if they were new, and their zones.
  private func sendEverything(of zoneID: CKRecordZone.ID?, _ engine: CKSyncEngine) {
    let records = state.withLock { $0.records }.filter { zoneID == nil || $0.key.zoneID == zoneID }
    for zoneID in Set(records.keys.map(\.zoneID)) {
      engine.state.add(pendingDatabaseChanges: [.saveZone(CKRecordZone(zoneID: zoneID))])
    }
    for recordID in records.keys.sorted(by: { $0.recordName < $1.recordName }) {
      resend(recordID, engine)
    }
  }

  private func resend(_ recordID: CKRecord.ID, _ engine: CKSyncEngine) {
    let record = CKRecord(recordType: "Note", recordID: recordID)
    record["title"] = self[recordID]?["title"] as String?
    state.withLock { $0.records[recordID] = record }
    engine.state.add(pendingRecordZoneChanges: [.saveRecord(recordID)])
  }

  private func handle(_ sent: CKSyncEngine.Event.SentRecordZoneChanges, _ engine: CKSyncEngine) {
    state.withLock { state in
      for record in sent.savedRecords { state.records[record.recordID] = record }
    }
    for failed in sent.failedRecordSaves {
      let recordID = failed.record.recordID
      switch failed.error.code {
      case .serverRecordChanged:
        guard let server = failed.error.serverRecord else { break }
        // The title that is later in the alphabet wins; any rule would do.
        let titles = [server["title"] as String?, self[recordID]?["title"] as String?].compactMap(
          \.self)
        server["title"] = titles.max()
        state.withLock { $0.records[recordID] = server }
        engine.state.add(pendingRecordZoneChanges: [.saveRecord(recordID)])
      case .zoneNotFound, .userDeletedZone:
        engine.state.add(pendingDatabaseChanges: [.saveZone(CKRecordZone(zoneID: recordID.zoneID))])
        resend(recordID, engine)
      case .unknownItem: resend(recordID, engine)
      default: break
      }
    }
  }
}
