import CloudKitClient
package import Foundation

extension MirrorEngine {
  /// Where the store's changes are.
  package var state: NSPersistentCloudKitContainer.StoreState {
    let now = site.now
    let machine = machine
    // A store that cannot be read shows so in the step that reads it.
    let pending = try? ledger.pendingAmount(measuringBytes: true)
    return NSPersistentCloudKitContainer.StoreState(
      storeIdentifier: site.storeIdentifier, containerIdentifier: site.container.containerIdentifier ?? "",
      databaseScope: site.scope, phase: machine.publicPhase(at: now), pendingChangeCount: pending?.count ?? 0,
      pendingByteCount: pending?.bytes ?? 0, waitingReferenceCount: (try? ledger.parkedCount()) ?? 0,
      lastImportDate: try? ledger.date(.lastImport), lastExportDate: try? ledger.date(.lastExport),
      blocker: machine.blocker(at: now).map { NSPersistentCloudKitContainer.SyncBlocker($0) },
      heldBack: machine.allHindrances.map { NSPersistentCloudKitContainer.SyncBlocker($0) },
      isListening: isAutomatic && site.scope != .public && machine.silence == nil,
      isStalled: machine.isStalled(at: now), importedRecordCount: progress.count)
  }
}

extension MirrorMachine {
  /// What stands in the way now.
  package func blocker(at now: Date) -> MirrorFault? { block ?? fault ?? allHindrances.first ?? deafness(at: now) }

  /// The phase as programs see it.
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

extension MirrorStep {
  fileprivate var publicPhase: NSPersistentCloudKitContainer.StoreState.Phase {
    switch self {
    case .setUp, .reset: .settingUp
    case .importing: .importing
    case .exporting: .exporting
    }
  }
}
