import CloudKitClient
import Foundation
import ManagedObjects
import MirrorLedger
import MirrorModel

extension MirrorEngine {
  /// The sync state of the store.
  package var state: NSPersistentCloudKitContainer.StoreState {
    let now = mirror.now
    let machine = machine
    let noted = NotedState(ledger)
    return NSPersistentCloudKitContainer.StoreState(
      storeIdentifier: mirror.storeIdentifier,
      containerIdentifier: mirror.container.containerIdentifier ?? "",
      databaseScope: mirror.scope, phase: machine.publicPhase(at: now),
      pendingChangeCount: noted.pending.count,
      pendingByteCount: noted.pending.bytes, deferredReferenceCount: noted.deferredReferenceCount,
      lastImportDate: noted.lastImport, lastExportDate: noted.lastExport,
      blocker: (noted.failure ?? machine.blocker(at: now)).map {
        NSPersistentCloudKitContainer.SyncBlocker($0)
      },
      recordBlockers: machine.allBlockers.map { NSPersistentCloudKitContainer.SyncBlocker($0) },
      isListening: isAutomatic && mirror.scope != .public && machine.silence == nil,
      isStalled: machine.isStalled(at: now), importedRecordCount: importer.progress.count)
  }
}

/// The part of the state that is read from the ledger.
///
/// If the ledger cannot be read, the state must not report that nothing is pending.
private struct NotedState {
  var pending = PendingAmount()
  var deferredReferenceCount = 0
  var lastImport: Date?
  var lastExport: Date?
  var failure: MirrorError?

  init(_ ledger: Ledger) {
    do {
      try throwingPublicErrors {
        pending = try ledger.outbox.pendingAmount(measuringBytes: true)
        deferredReferenceCount = try ledger.deferredReferenceCount()
        (lastImport, lastExport) = (try ledger.date(.lastImport), try ledger.date(.lastExport))
      }
    } catch {
      failure = MirrorError(error)
    }
  }
}

extension MirrorStep {
  fileprivate var publicPhase: NSPersistentCloudKitContainer.StoreState.Phase {
    switch self {
    case .setUp, .reset: .settingUp
    case .importing: .importing
    case .exporting: .exporting
    }
  }
}

extension MirrorMachine {
  /// Returns the public form of the phase.
  func publicPhase(at now: Date) -> NSPersistentCloudKitContainer.StoreState.Phase {
    switch phase(at: now) {
    case .stopped: .stopped
    case .paused: .paused
    case .idle: .idle
    case .waiting(let until): .waiting(until: until)
    case .blocked: .blocked
    case .running(let step): step.publicPhase
    case .due: due(at: now)?.publicPhase ?? .idle
    }
  }
}
