import CloudKitClient
import Foundation
import ManagedObjects
package import MirrorLedger
package import MirrorModel
import SyncKernel
import Synchronization

/// Keeps a store and its database equal.
///
/// The machine decides the next step; the engine executes one step at a time on a serial queue.
/// Tests and simulations can call the steps by hand.
package final class MirrorEngine: EnginePart {
  let shared: EngineContext
  let setup: Setup
  let importer: Importer
  let exporter: Exporter
  let queue = SerialQueue()
  let driving: Mutex<Driving>
  /// The publisher of events and state.
  let publisher: MirrorPublisher

  /// State that is not stored.
  struct Driving {
    var machine: MirrorMachine
    /// Whether a job on the queue is driving the machine, or will do so.
    var isDriven = false
    /// Waits for the machine's next alarm.
    var timer = AlarmTimer()
    var listening: Task<Void, Never>?
    var observers: [NotificationObserver] = []
    var event: NSPersistentCloudKitContainerEvent?
    /// The error of the last failed step, in the form for programs.
    var error: NSError?
    /// The kinds of blockers that were written to the log.
    var logged: Set<MirrorError.Kind> = []
  }

  /// Creates the engine of a store.
  ///
  /// It logs to `logging`; if that is nil, to standard error, unless the engine is driven by hand.
  package init(
    mirror: MirrorStore, isAutomatic: Bool, publisher: MirrorPublisher,
    sizes: TransferSizes = TransferSizes(), plantedBugs: PlantedBugs? = nil,
    logging: MirrorLogging? = nil
  ) {
    shared = EngineContext(
      mirror: mirror, isAutomatic: isAutomatic, sizes: sizes, plantedBugs: plantedBugs,
      logging: logging ?? (isAutomatic ? .ofProcess : MirrorLogging(level: .silent)))
    self.publisher = publisher
    importer = Importer(shared)
    exporter = Exporter(shared, importer: importer)
    setup = Setup(shared, importer: importer)
    let machine = MirrorMachine(
      isPolling: mirror.scope == .public, debouncesSaves: mirror.clock.isRealTime)
    driving = Mutex(Driving(machine: machine))
    shared.observeProgress { [weak self] in
      guard let self else { return }
      driving.withLock { $0.machine.noteProgress(at: self.mirror.now) }
      self.publisher.stateChanged(self)
    }
  }

  deinit {
    driving.withLock { driving in
      driving.timer.cancel()
      driving.listening?.cancel()
    }
  }

  package var mirror: MirrorStore { shared.mirror }
  package var ledger: Ledger { shared.mirror.ledger }
  package var isAutomatic: Bool { shared.isAutomatic }

  /// The program's decisions about fields that changed on both sides.
  package var hook: MirrorHook? {
    get { shared.hook }
    set { shared.hook = newValue }
  }

  /// The current state of the machine.
  package var machine: MirrorMachine { driving.withLock { $0.machine } }

  // MARK: Steps

  /// Runs one step to its end.
  package func run(_ step: MirrorStep) async -> MirrorOutcome {
    switch step {
    case .setUp: return await setup.setUpOnce()
    case .importing: return await importer.importOnce()
    case .exporting:
      let machine = machine
      return await exporter.exportOnce(
        ExportLimits(
          records: machine.sending.recordsInRequest, bytes: machine.sending.bytesInRequest,
          sendsRefused: machine.sending.includesRefused))
    case .reset(let reset): return await setup.resetOnce(reset)
    }
  }

  /// Applies all changes of the cloud.
  package func importOnce() async -> MirrorOutcome { await importer.importOnce() }

  /// Sends all entries of the outbox.
  package func exportOnce(_ limits: ExportLimits = ExportLimits()) async -> MirrorOutcome {
    await exporter.exportOnce(limits)
  }

  /// Checks the account, and creates zone and subscription.
  package func setUpOnce() async -> MirrorOutcome { await setup.setUpOnce() }
}
