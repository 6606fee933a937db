package import CloudKitClient
package import Foundation
import SyncKernel

/// Schedules the syncs of an engine that syncs automatically.
///
/// ```
/// idle ──note──▶ waiting ──next──▶ running ──end, nothing pending──▶ idle
///                  ▲  └─note: sooner        │
///                  └────────────────────────┘ end, something pending or failed
/// ```
///
/// - Idle: nothing is pending.
/// - Waiting: something is pending, and due at the alarm.
/// - Running: a sync is in progress. Actions that are added meanwhile follow.
package struct SyncSchedule: Sendable {
  /// A reason to sync.
  package enum Trigger: Equatable, Sendable {
    /// The engine has started.
    case start
    /// The app has added changes.
    case changesAdded
    /// The server has reported changes in the given zone, or in any zone for nil.
    case push(CKRecordZone.ID?)
    /// The network has returned.
    case networkReturned
    /// The account has changed.
    case accountChanged
  }

  /// The pending actions.
  package struct PendingActions: OptionSet, Sendable {
    package let rawValue: Int
    package init(rawValue: Int) { self.rawValue = rawValue }

    package static let fetch = PendingActions(rawValue: 1)
    package static let send = PendingActions(rawValue: 2)
  }

  /// The actions that are due now.
  package struct Sync: Equatable, Sendable {
    package var actions: PendingActions
    /// The zones that have changed; nil if the database's feed has to say which.
    package var changedZones: Set<CKRecordZone.ID>?

    package init(actions: PendingActions, changedZones: Set<CKRecordZone.ID>?) {
      (self.actions, self.changedZones) = (actions, changedZones)
    }
  }

  private var pending: PendingActions = []
  private var changedZones = ChangedZones<CKRecordZone.ID>()
  /// The actions in progress; nil while none are.
  private var running: PendingActions?
  /// The actions of cancelled syncs, which the next sync performs.
  private var dropped: PendingActions = []
  /// When the pending actions are due, apart from the back-off.
  private var due: TimedWait?
  private var retry = RetryState(SyncLimits.backOff)

  package init() {}

  package var isIdle: Bool { pending.isEmpty && running == nil }

  /// When the pending actions are due; nil if there are none, or others are running.
  package var alarm: Date? {
    guard let due, running == nil else { return nil }
    return max(due.until, retry.until ?? due.until)
  }

  /// Handles a reason to sync.
  package mutating func note(_ trigger: Trigger, at now: Date) {
    switch trigger {
    case .changesAdded: pending.insert(.send)
    case .push(let zoneID):
      pending.insert(.fetch)
      changedZones.note(zoneID)
    case .start, .networkReturned, .accountChanged:
      pending = [.fetch, .send]
      changedZones.note(nil)
    }
    if trigger == .networkReturned { retry.networkReturned() }
    if trigger == .accountChanged { retry.succeeded() }
    wait(trigger == .changesAdded ? SyncLimits.collecting / .seconds(1) : 0, at: now)
  }

  /// Starts the pending actions, and returns them; nil if none are due.
  package mutating func next(at now: Date) -> Sync? {
    guard running == nil, let due, due.isOver(at: now), !retry.isWaiting(at: now) else {
      return nil
    }
    let actions = pending.union(dropped)
    (pending, dropped, self.due) = ([], [], nil)
    running = actions
    return Sync(
      actions: actions, changedZones: actions.contains(.fetch) ? changedZones.take() : nil)
  }

  /// Handles the end of a sync.
  ///
  /// - Parameter chance: A random number from 0 to 1, which spreads the retries of many clients.
  package mutating func end(_ error: CKError?, at now: Date, chance: Double) {
    guard let done = running else { return }
    running = nil
    if let error, error.isRetried {
      retry(done, after: error, at: now, chance: chance)
    } else {
      retry.succeeded()
    }
  }

  /// Handles a cancelled sync, whose remaining actions the next sync performs.
  package mutating func cancelled() {
    dropped.formUnion(running ?? [])
    running = nil
    changedZones.note(nil)
  }

  /// Schedules a retry, also after a manual sync has failed.
  ///
  /// An error of this machine, such as for a full disk, concerns fetching only and does not delay
  /// anything else.
  package mutating func retry(
    _ actions: PendingActions, after error: CKError, at now: Date, chance: Double
  ) {
    changedZones.note(nil)
    guard error.isLocal else {
      pending.formUnion(actions)
      retry.failed(retryAfterSeconds: error.retryAfterSeconds, at: now, chance: chance)
      return wait(0, at: now)
    }
    pending.formUnion(actions.intersection(.fetch))
    if !pending.isEmpty { wait(retry.countFailure(chance: chance), at: now) }
  }

  /// Makes the pending actions due after a delay, if they are not due sooner.
  private mutating func wait(_ seconds: TimeInterval, at now: Date) {
    let wait = TimedWait(from: now, seconds: seconds)
    if due.map({ $0.until > wait.until }) ?? true { due = wait }
  }
}
