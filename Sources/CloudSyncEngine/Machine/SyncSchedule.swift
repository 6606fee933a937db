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
/// - Running: pending work is in progress. Work that is added meanwhile follows.
package struct SyncSchedule: Sendable {
  /// A reason to sync.
  package enum Trigger: Sendable {
    /// The engine has started.
    case start
    /// The app has added changes.
    case changesAdded
    /// The server has reported changes.
    case push
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

  private var pending: PendingActions = []
  /// The actions in progress; nil while none are.
  private var running: PendingActions?
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
    case .start: pending = [.fetch, .send]
    case .changesAdded: pending.insert(.send)
    case .push: pending.insert(.fetch)
    case .networkReturned:
      pending = [.fetch, .send]
      retry.networkReturned()
    case .accountChanged:
      pending = [.fetch, .send]
      retry.succeeded()
    }
    wait(trigger == .changesAdded ? SyncLimits.collecting / .seconds(1) : 0, at: now)
  }

  /// Starts the pending actions.
  ///
  /// - Returns: The actions to perform; nil if none are due.
  package mutating func next(at now: Date) -> PendingActions? {
    guard running == nil, let due, due.isOver(at: now), !retry.isWaiting(at: now) else {
      return nil
    }
    defer { (pending, self.due) = ([], nil) }
    running = pending
    return running
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

  /// Handles a cancelled sync.
  ///
  /// What it did not do follows with the next one.
  package mutating func cancelled() { running = nil }

  /// Schedules a retry, also after a manual sync has failed.
  ///
  /// An error of this machine, such as for a full disk, concerns fetching only and does not delay
  /// anything else.
  package mutating func retry(
    _ actions: PendingActions, after error: CKError, at now: Date, chance: Double
  ) {
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
