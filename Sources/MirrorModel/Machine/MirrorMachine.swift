package import Foundation
import SyncKernel

/// Decides what one mirrored store does next.
///
///     stopped ──start──▶ setup ──▶ import ──▶ export ──▶ idle ─saved, push, asked─▶ import, export
///        ▲                 └──────────┴────┬─────┘                       ▲
///        └──stop                           ▼ error                       │
///             waiting (back-off, or the server's time) ──timer, network, asked──┤
///             blocked (account, decision) ──sign-in, decision───────────────────┤
///                └─ a decision is awaited ──push, asked──▶ import               │
///             reset (tokens, zone, objects) ──its end───────────────────────────┘
///
/// One step runs at a time. Work that is requested while its step runs is done by the next such
/// step. The machine reads no clock: its driver passes the time.
package struct MirrorMachine: Sendable, Equatable {
  /// An event outside the machine.
  package enum Trigger: Equatable, Sendable {
    /// The push channel stopped, for this reason.
    case silence(MirrorError)
    /// The push channel listens; earlier changes may have been missed.
    case listening
    /// This device may have received keys, so values that lacked them are retried.
    case keysArrived
    /// The schema may have changed, so changes that it rejected are retried.
    case schemaChanged
    case start, saved, push, networkReturned, accountChanged, timer, pause, resume, stop
    /// Another process or an import, not a save in this program's contexts, has enqueued entries.
    case unsentFound
    /// The program requested a sync, which ends the back-off and retries rejected changes.
    case asked
    /// The program decided whether to upload data again that the user deleted in the cloud.
    case decided(uploadAgain: Bool)
    /// The program decided what happens to the store while another user is signed in.
    case accountResolved(takesAlong: Bool)
    /// The program decided to move the store to the cloud that it now points at.
    case moved
  }

  /// What the store is doing.
  package enum Phase: Equatable, Sendable {
    case stopped, paused, idle
    case running(MirrorStep)
    /// A step can run now.
    case due
    case waiting(until: Date)
    case blocked(MirrorError)
  }

  struct Work: OptionSet, Sendable {
    package let rawValue: UInt8
    package static let importing = Work(rawValue: 1)
    package static let exporting = Work(rawValue: 2)
    package static let both: Work = [.importing, .exporting]
  }

  /// Whether the database sends no push notifications, so that it is polled.
  package let isPolling: Bool
  /// Whether saves during an export are sent together after a short delay.
  package let debouncesSaves: Bool
  package internal(set) var activity = MirrorActivity.stopped
  package internal(set) var sending = SendingState()
  package internal(set) var isPaused = false
  package internal(set) var isSetUp = false
  var requested: Work = []
  /// The work that a waiting caller requested, which precedes other requests.
  var callerWork: Work = []
  var resets: [MirrorStep.Reset] = []
  /// The back-off; no step runs before its end.
  var retry = RetryState(MirrorLimits.backOff)
  var poll: TimedWait?
  /// The resets since the last success; one that did not help is not repeated at once.
  var ineffectiveResets: Set<MirrorStep.Reset> = []
  /// The time of the last progress of requested work, or of the request.
  var requestedSince: Date?

  /// Since when the push channel is down, and why; nil if it is up or not used.
  package var silence: Silence?

  /// An outage of the push channel, during which changes are polled.
  package struct Silence: Equatable, Sendable {
    package var failure: MirrorError
    /// The time in which the channel may merely be starting.
    let patience: TimedWait
    /// The time of the next poll.
    var pollAt: TimedWait
  }

  /// The error of the last step; nil if it succeeded.
  package internal(set) var failure: MirrorError?
  /// The errors that keep parts from being imported.
  package internal(set) var unread: [MirrorError] = []

  package init(isPolling: Bool = false, debouncesSaves: Bool = false) {
    self.isPolling = isPolling
    self.debouncesSaves = debouncesSaves
  }

  package var isStarted: Bool { activity != .stopped }
  /// The error that blocks the store until an event outside the machine lifts the block.
  package var block: MirrorError? { activity.block }
  /// The running step.
  package var running: MirrorStep? { activity.running?.step }

  // MARK: Events

  /// Handles an event outside the machine.
  package mutating func note(_ trigger: Trigger, at now: Date) {
    switch trigger {
    case .start:
      if !isStarted { activity = .resting }
      requested = .both
    case .stop: self = MirrorMachine(isPolling: isPolling, debouncesSaves: debouncesSaves)
    case .saved:
      sending.noteSave(gathers: debouncesSaves && running == .exporting, at: now)
      requestExport()
    case .unsentFound: requestExport()
    case .push: requestImport()
    case .networkReturned: retry.networkReturned()
    case .silence(let failure): noteSilence(failure, at: now)
    case .listening:
      silence = nil
      requestImport()
    case .keysArrived, .schemaChanged: retryBlocked()
    case .asked: ask()
    case .accountChanged: checkAccount()
    case .timer: noteTime(now)
    case .pause: isPaused = true
    case .resume:
      isPaused = false
      requested = .both
    case .decided, .moved, .accountResolved: decide(trigger)
    }
    watch(at: now)
  }

  private mutating func requestImport() {
    requested.insert(.importing)
    activity.checkAgain()
  }

  private mutating func requestExport() {
    requested.insert(.exporting)
    sending.allowNewChanges()
  }

  private mutating func ask() {
    (requested, callerWork) = (.both, .both)
    requestImport()
    retry.endWait()
    sending.endDebounce()
    sending.retryRefused()
    if activity.isBlocked(until: .account) { checkAccount() }
  }

  private mutating func checkAccount() {
    retry.endWait()
    sending.endPause()
    isSetUp = false
    // A running setup may have read the former account.
    activity.outdate(.setUp)
    requested = .both
    if activity.isBlocked(until: .account) { activity.unblock() }
  }

  /// Begins a silence, or updates the reason of the present one.
  private mutating func noteSilence(_ failure: MirrorError, at now: Date) {
    silence?.failure = failure
    silence =
      silence
      ?? Silence(
        failure: failure, patience: TimedWait(from: now, seconds: MirrorLimits.silenceSeconds),
        pollAt: TimedWait(from: now, seconds: MirrorLimits.silentPollSeconds))
  }

  /// The error of a push channel that is down for longer than it needs to start.
  package func pushOutage(at now: Date) -> MirrorError? {
    silence.flatMap { $0.patience.isOver(at: now) ? $0.failure : nil }
  }

  private mutating func noteTime(_ now: Date) {
    sending.noteTime(now)
    if let silence, silence.pollAt.isOver(at: now) {
      self.silence?.pollAt = TimedWait(from: now, seconds: MirrorLimits.silentPollSeconds)
      requestImport()
    }
    guard let poll, poll.isOver(at: now) else { return }
    self.poll = nil
    requestImport()
  }

  /// Retries at once what lacked keys or a deployed schema.
  mutating func retryBlocked() {
    // The running step may have met the former keys or schema.
    activity.outdate(.importing)
    activity.outdate(.exporting)
    if unread.contains(where: \.kind.awaitsKeys) { requested.insert(.importing) }
    guard sending.blockers.contains(where: { $0.kind.awaitsKeys || $0.kind == .schemaNotDeployed })
    else { return }
    sending.retryRefused()
    requested.insert(.exporting)
  }

  /// The errors that keep parts from being imported or sent, each once.
  package var allBlockers: [MirrorError] {
    unread + sending.blockers.filter { !unread.contains($0) }
  }

  // MARK: Steps

  /// Begins the next step; nil if none can run now.
  package mutating func next(at now: Date) -> MirrorStep? {
    guard running == nil, let step = due(at: now) else { return nil }
    activity.begin(step)
    switch step {
    case .importing: requested.remove(.importing)
    case .exporting:
      requested.remove(.exporting)
      sending.endDebounce()
    case .reset: resets.removeFirst()
    case .setUp: break
    }
    return step
  }

  package func due(at now: Date) -> MirrorStep? {
    if isPaused || retry.isWaiting(at: now) { return nil }
    switch activity {
    case .stopped, .blocked(_, checksAgain: false): return nil
    case .blocked, .checking: return isSetUp ? .importing : .setUp
    case .resting, .running: break
    }
    if let reset = resets.first { return .reset(reset) }
    guard !requested.isEmpty else { return nil }
    if !isSetUp { return .setUp }
    let canExport = canExport(at: now)
    // A caller that waits only for the export has completed its import.
    if requested.contains(.importing), !(canExport && callerWork == .exporting) {
      return .importing
    }
    return canExport ? .exporting : nil
  }

  private func canExport(at now: Date) -> Bool {
    requested.contains(.exporting) && sending.isOpen(at: now)
  }

  /// Whether a caller waits for a step that can run now.
  package func hasCallerWork(at now: Date) -> Bool {
    guard !callerWork.isEmpty, let step = due(at: now) else { return false }
    return switch step {
    case .setUp, .reset: true
    case .importing: callerWork.contains(.importing)
    case .exporting: callerWork.contains(.exporting)
    }
  }

  /// Adds one export of the saves made meanwhile to the waiting caller's request, if one can run.
  package mutating func includeLaterSaves(at now: Date) {
    sending.endDebounce()
    callerWork = canExport(at: now) ? .exporting : []
  }

  /// Ends the wait of all callers.
  package mutating func endCallerWork() { callerWork = [] }

  // MARK: State

  /// What the store is doing.
  package func phase(at now: Date) -> Phase {
    switch activity {
    case .running(let running), .checking(let running, _): return .running(running.step)
    case .stopped: return .stopped
    case .blocked(let failure, _): return .blocked(failure)
    case .resting: break
    }
    if isPaused { return .paused }
    if due(at: now) != nil { return .due }
    return nextWaitsUntil.map { .waiting(until: $0) } ?? .idle
  }

  /// The earliest end of a wait after which a step can run; nil if there is none.
  private var nextWaitsUntil: Date? {
    let ends = [retry.until, sending.pause?.until, sending.gathering?.until].compactMap(\.self)
      .sorted()
    return ends.first { due(at: $0) != nil }
  }

  /// The time at which the machine needs a timer event; nil if it needs none.
  package func alarm(at now: Date) -> Date? {
    guard isStarted, !isPaused else { return nil }
    // Observers of the state learn when the store has stalled, whatever it waits for.
    var times = [stallAt]
    if isSelfDriven {
      times += [poll?.until, silence?.pollAt.until, silence?.patience.until]
      if !requested.isEmpty || !resets.isEmpty { times.append(retry.until) }
      if requested == .exporting {
        times += [sending.pause?.until, sending.gathering?.alarm(at: now)]
      }
    }
    return times.compactMap(\.self).filter { $0 > now }.min()
  }

  /// Whether timers may bring the store forward.
  ///
  /// A store that awaits a decision polls, because another device may decide.
  private var isSelfDriven: Bool { block == nil || activity.awaitsDecision }

  private var stallAt: Date? { requestedSince?.addingTimeInterval(MirrorLimits.stallSeconds) }

  /// Whether requested work made no progress for long.
  package func isStalled(at now: Date) -> Bool { stallAt.map { $0 <= now } ?? false }

  /// Records that the running step made progress.
  package mutating func noteProgress(at now: Date) {
    if requestedSince != nil { requestedSince = now }
  }

  /// Starts or ends measuring how long requested work takes.
  package mutating func watch(at now: Date) {
    let isBusy = !requested.isEmpty || !resets.isEmpty || running != nil
    let isWanted = isStarted && !isPaused && isBusy
    // A time in the future was recorded while the clock was ahead.
    requestedSince = isWanted ? min(requestedSince ?? now, now) : nil
  }
}
