package import Foundation

/// Schedules the syncs of an engine that syncs automatically.
///
/// ```
/// idle ──note──▶ waiting ──fire──▶ running ──end, nothing wanted──▶ idle
///                  ▲  └─note: sooner        │
///                  └────────────────────────┘ end, something wanted or failed
/// ```
///
/// - Idle: nothing is pending.
/// - Waiting: something is pending, and one ticket is valid. Alarms with older tickets are ignored.
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

  /// A point in time at which the schedule fires.
  package struct DateTimer: Equatable, Sendable {
    package var date: Date
    package var ticket: Int
  }

  private enum Phase {
    case idle
    case waiting(DateTimer)
    case running(PendingActions)
  }

  private var phase = Phase.idle
  private var pending: PendingActions = []
  /// The end of the back-off; nil if there is none.
  private var notBefore: Date?
  /// Whether the server specified the back-off.
  private var isServerBackOff = false
  private var failures = 0
  private var lastTicket = 0

  package init() {}

  package var isIdle: Bool { if case .idle = phase { true } else { false } }

  /// Handles a reason to sync.
  ///
  /// - Returns: The alarm that replaces the current one; nil if it stays.
  package mutating func note(_ trigger: Trigger, at now: Date) -> DateTimer? {
    switch trigger {
    case .start: pending.formUnion([.fetch, .send])
    case .changesAdded: pending.insert(.send)
    case .push: pending.insert(.fetch)
    case .networkReturned:
      pending.formUnion([.fetch, .send])
      if !isServerBackOff { forgetFailures() }
    case .accountChanged:
      pending.formUnion([.fetch, .send])
      forgetFailures()
    }
    return wait(until: trigger == .changesAdded ? now + SyncLimits.collecting.seconds : now)
  }

  /// Handles an alarm.
  ///
  /// - Returns: The actions to perform; nil if the alarm is obsolete.
  package mutating func fire(_ ticket: Int) -> PendingActions? {
    guard case .waiting(let alarm) = phase, alarm.ticket == ticket else { return nil }
    let wanted = pending
    phase = .running(wanted)
    pending = []
    return wanted
  }

  /// Handles the end of a sync.
  ///
  /// - Parameter chance: A random number from 0 to 1, which spreads the retries of many clients.
  package mutating func end(_ error: CKError?, at now: Date, chance: Double) -> DateTimer? {
    guard case .running(let done) = phase else { return nil }
    phase = .idle
    let isMoreWanted = !pending.isEmpty
    guard let error, error.isRetried else {
      forgetFailures()
      return isMoreWanted ? wait(until: now) : nil
    }
    return again(done, after: error, isMoreWanted: isMoreWanted, at: now, chance: chance)
  }

  /// Handles a cancelled sync.
  ///
  /// Its actions are repeated with the next one.
  package mutating func cancelled(at now: Date) -> DateTimer? {
    guard case .running = phase else { return nil }
    phase = .idle
    return pending.isEmpty ? nil : wait(until: now)
  }

  /// Schedules a retry after a manual sync has failed.
  package mutating func retry(
    _ wanted: PendingActions, after error: CKError, at now: Date, chance: Double
  )
    -> DateTimer?
  {
    again(wanted, after: error, isMoreWanted: false, at: now, chance: chance)
  }

  /// Schedules a retry.
  ///
  /// An error of this machine, such as for a full disk, concerns fetching only and does not delay
  /// anything else.
  private mutating func again(
    _ wanted: PendingActions, after error: CKError, isMoreWanted: Bool, at now: Date, chance: Double
  ) -> DateTimer? {
    guard error.isLocal else {
      pending.formUnion(wanted)
      postpone(after: error, at: now, chance: chance)
      return wait(until: now)
    }
    pending.formUnion(wanted.intersection(.fetch))
    guard !pending.isEmpty else { return nil }
    let pause = nextPause(chance)
    return wait(until: isMoreWanted ? now : now + pause)
  }

  /// The back-off after one more failure.
  private mutating func nextPause(_ chance: Double) -> TimeInterval {
    failures += 1
    let doubled =
      SyncLimits.firstRetry.seconds * Double(1 << min(failures - 1, 16)) * (0.5 + chance / 2)
    return min(doubled, SyncLimits.longestRetry.seconds)
  }

  private mutating func postpone(after error: CKError, at now: Date, chance: Double) {
    let own = nextPause(chance)
    // The server's retry time is a minimum, with jitter so that clients do not return all at once.
    let asked = error.retryAfterSeconds.map { $0 * (1 + chance / 4) }
    isServerBackOff = asked != nil
    notBefore = now + max(own, asked ?? 0)
  }

  private mutating func forgetFailures() {
    failures = 0
    notBefore = nil
    isServerBackOff = false
  }

  private mutating func wait(until date: Date) -> DateTimer? {
    let date = max(date, notBefore ?? date)
    switch phase {
    case .running: return nil
    case .waiting(let alarm) where alarm.date <= date && alarm.date >= notBefore ?? alarm.date:
      return nil
    case .waiting, .idle: break
    }
    lastTicket += 1
    let alarm = DateTimer(date: date, ticket: lastTicket)
    phase = .waiting(alarm)
    return alarm
  }
}

extension Duration {
  /// The duration in seconds, for `Date`.
  var seconds: TimeInterval { self / .seconds(1) }
}
