import CloudKitClient
import Foundation
import ManagedObjects
package import MirrorLedger
package import MirrorModel
import Synchronization

/// Keeps one store and its database alike.
///
/// What is done next is the machine's to decide; here it is done, one step after the other, on one
/// lane. Steps can be called by hand: each runs to its end and tells how it ended.
package final class MirrorEngine: Sendable {
  package let site: MirrorSite
  /// Whether steps are done by themselves.
  package let isAutomatic: Bool
  let encoder: RecordEncoder
  let rejectedEntries = RejectedEntries()
  let crowded = CrowdedRecords()
  let exactValues = ExactValues()
  let reconciliation: Reconciliation
  let unreadable = UnreadableRecords()
  let unsorted = UnsortedTypes()
  let progress = MirrorProgress()
  let lane = MirrorLane()
  let driving: Mutex<Driving>
  /// The publisher of events and state.
  let publisher: MirrorPublisher
  /// Where a simulation breaks the engine on purpose; nil in programs.
  let seam: MirrorSeam?
  /// The writer of lines to standard error.
  let logging: MirrorLogging

  /// What changes while the engine lives, and is not kept.
  struct Driving {
    var machine: MirrorMachine
    var hook: MirrorHook?
    /// Whether somebody drives the machine on the lane, or is about to.
    var isDriven = false
    var timer: Task<Void, Never>?
    /// What the timer waits for.
    var alarm: Date?
    var listening: Task<Void, Never>?
    var observers: [KeptObserver] = []
    var event: NSPersistentCloudKitContainerEvent?
    /// The error of the last step that failed, as the program gets it.
    var error: NSError?
    /// The kinds of blockers that were written to the log.
    var logged: Set<MirrorError.Kind> = []
  }

  /// Creates the engine of a store, which writes to standard error as `logging` says, if that is
  /// given: not if the engine is driven by hand.
  package init(
    site: MirrorSite, isAutomatic: Bool, publisher: MirrorPublisher, seam: MirrorSeam? = nil,
    logging: MirrorLogging? = nil
  ) {
    self.site = site
    self.isAutomatic = isAutomatic
    self.publisher = publisher
    self.seam = seam
    self.logging = logging ?? (isAutomatic ? .ofProcess : MirrorLogging(level: .silent))
    encoder = RecordEncoder(schema: site.schema)
    reconciliation = Reconciliation(of: site.homeZone)
    let machine = MirrorMachine(
      isPolling: site.scope == .public, gathersSaves: site.clock.isRealTime)
    driving = Mutex(Driving(machine: machine))
  }

  deinit {
    let ended = driving.withLock { $0 }
    ended.timer?.cancel()
    ended.listening?.cancel()
  }

  package var ledger: Ledger { site.ledger }

  /// What the program says about fields that were changed on both sides.
  package var hook: MirrorHook? {
    get { driving.withLock { $0.hook } }
    set { driving.withLock { $0.hook = newValue } }
  }

  /// The machine as it is now.
  package var machine: MirrorMachine { driving.withLock { $0.machine } }

  // MARK: Steps

  /// Does one step to its end.
  package func run(_ step: MirrorStep) async -> MirrorOutcome {
    switch step {
    case .setUp: return await setUpOnce()
    case .importing: return await importOnce()
    case .exporting:
      let machine = machine
      return await exportOnce(
        ExportLimits(
          records: machine.recordsInRequest, bytes: machine.bytesInRequest,
          sendsRefused: machine.sendsRefused))
    case .reset(let reset): return await resetOnce(reset)
    }
  }

  /// Records progress, so that the store does not count as stalled, and publishes the state.
  func noteProgress() {
    driving.withLock { $0.machine.noteProgress(at: site.now) }
    publisher.stateChanged(self)
  }
}
