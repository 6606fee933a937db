package import Foundation

/// Decides when an engine that syncs by itself does so next.
///
/// ```
/// idle ──note──▶ waiting ──fire──▶ running ──end, nothing wanted──▶ idle
///                  ▲  └─note: sooner        │
///                  └────────────────────────┘ end, something wanted or failed
/// ```
///
/// - Idle: nothing is wanted.
/// - Waiting: something is wanted, and one ticket is valid: the clock fires it, and older ones
///   count for nothing.
/// - Running: what was wanted is being done; what is wanted meanwhile comes after it.
package struct SyncSchedule: Sendable {
  /// Why something is to be synced.
  package enum Trigger: Sendable {
    /// The engine was made.
    case start
    /// The program wishes to send something.
    case changesAdded
    /// The server says that something changed.
    case push
    /// There is a network again.
    case networkReturned
    /// Somebody signed in or out.
    case accountChanged
  }

  /// What is to be done.
  package struct PendingActions: OptionSet, Sendable {
    package let rawValue: Int
    package init(rawValue: Int) { self.rawValue = rawValue }

    package static let fetch = PendingActions(rawValue: 1)
    package static let send = PendingActions(rawValue: 2)
  }

  /// Waits until a date, and fires then.
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
  private var wishes: PendingActions = []
  /// Nothing is tried before; nil where it can be tried at once.
  private var notBefore: Date?
  /// Whether the server said so.
  private var isServersWish = false
  private var failures = 0
  private var lastTicket = 0

  package init() {}

  package var isIdle: Bool { if case .idle = phase { true } else { false } }

  /// Something happened.
  ///
  /// - Returns: What to wait for instead of what is waited for now; nil where nothing changes.
  package mutating func note(_ trigger: Trigger, at now: Date) -> DateTimer? {
    switch trigger {
    case .start: wishes.formUnion([.fetch, .send])
    case .changesAdded: wishes.insert(.send)
    case .push: wishes.insert(.fetch)
    case .networkReturned:
      wishes.formUnion([.fetch, .send])
      if !isServersWish { forgetFailures() }
    case .accountChanged:
      wishes.formUnion([.fetch, .send])
      forgetFailures()
    }
    return wait(until: trigger == .changesAdded ? now + SyncLimits.collecting.seconds : now)
  }

  /// The time has come.
  ///
  /// - Returns: What to do now; nil where the alarm counts for nothing any more.
  package mutating func fire(_ ticket: Int) -> PendingActions? {
    guard case .waiting(let alarm) = phase, alarm.ticket == ticket else { return nil }
    let wanted = wishes
    phase = .running(wanted)
    wishes = []
    return wanted
  }

  /// What was to be done is done.
  ///
  /// - Parameter chance: From 0 to 1: spreads the waits of many clients.
  package mutating func end(_ error: CKError?, at now: Date, chance: Double) -> DateTimer? {
    guard case .running(let done) = phase else { return nil }
    phase = .idle
    let isMoreWanted = !wishes.isEmpty
    guard let error, error.isTriedAgain else {
      forgetFailures()
      return isMoreWanted ? wait(until: now) : nil
    }
    return again(done, after: error, isMoreWanted: isMoreWanted, at: now, chance: chance)
  }

  /// It was cancelled: it is done with what is wanted next.
  package mutating func cancelled(at now: Date) -> DateTimer? {
    guard case .running = phase else { return nil }
    phase = .idle
    return wishes.isEmpty ? nil : wait(until: now)
  }

  /// What the program itself asked for failed, and is tried again.
  package mutating func retry(
    _ wanted: PendingActions, after error: CKError, at now: Date, chance: Double
  )
    -> DateTimer?
  {
    again(wanted, after: error, isMoreWanted: false, at: now, chance: chance)
  }

  /// Tries something again later.
  ///
  /// What this machine cannot keep, since its disk is full, holds one zone: it keeps nothing else
  /// waiting.
  private mutating func again(
    _ wanted: PendingActions, after error: CKError, isMoreWanted: Bool, at now: Date, chance: Double
  ) -> DateTimer? {
    guard error.isOfThisMachine else {
      wishes.formUnion(wanted)
      postpone(after: error, at: now, chance: chance)
      return wait(until: now)
    }
    wishes.formUnion(wanted.intersection(.fetch))
    guard !wishes.isEmpty else { return nil }
    let pause = nextPause(chance)
    return wait(until: isMoreWanted ? now : now + pause)
  }

  /// How long nothing is tried after one more failure, where nobody says anything else.
  private mutating func nextPause(_ chance: Double) -> TimeInterval {
    failures += 1
    let doubled =
      SyncLimits.firstRetry.seconds * Double(1 << min(failures - 1, 16)) * (0.5 + chance / 2)
    return min(doubled, SyncLimits.longestRetry.seconds)
  }

  private mutating func postpone(after error: CKError, at now: Date, chance: Double) {
    let own = nextPause(chance)
    // Whoever was told when comes no sooner, and not at the same moment as all others.
    let asked = error.retryAfterSeconds.map { $0 * (1 + chance / 4) }
    isServersWish = asked != nil
    notBefore = now + max(own, asked ?? 0)
  }

  private mutating func forgetFailures() {
    failures = 0
    notBefore = nil
    isServersWish = false
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
  /// As `Date` counts.
  var seconds: TimeInterval { self / .seconds(1) }
}
