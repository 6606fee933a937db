package import Foundation
import SyncKernel

/// Decides what one mirrored store does next.
///
///     stopped ──start──▶ setup ──▶ import ──▶ export ──▶ idle ──saved, push, asked──▶ import, export
///        ▲                 └──────────┴────┬─────┘                       ▲
///        └──stop                           ▼ error                       │
///             waiting (back-off, or the server's time) ──timer, network, asked──┤
///             blocked (account, decision) ──sign-in, decision───────────────────┤
///                └─ a decision is awaited ──push, asked──▶ import               │
///             reset (tokens, zone, objects) ──its end───────────────────────────┘
///
/// One step runs at a time. Work that is requested during its own step is done by the next one. The
/// machine reads no clock: its driver passes the time.
package struct MirrorMachine: Sendable, Equatable {
  /// What happened outside.
  package enum Trigger: Equatable, Sendable {
    /// The push channel stopped, and why.
    case silence(MirrorError)
    /// The push channel listens; earlier changes may have been missed.
    case listening
    /// This device may have got keys for encrypted values: what was held back for want of them is
    /// tried again.
    case keysArrived
    /// The schema may have changed: what it refused is tried again.
    case schemaChanged
    case start, saved, push, networkReturned, accountChanged, timer, pause, resume, stop
    /// Something waits to be sent that no save of this program's contexts received of: another
    /// process left it, or an import's consequences.
    case unsentFound
    /// The program requested a sync now, without waiting.
    case asked
    /// The program decided what becomes of data that the user deleted in the cloud.
    case decided(uploadAgain: Bool)
    /// The program decided what becomes of the store while another user is signed in.
    case accountResolved(takesAlong: Bool)
    /// The program decided that the store goes to the cloud that it is pointed at.
    case moved
  }

  /// What the store is doing.
  package enum Phase: Equatable, Sendable {
    case stopped, paused, idle
    case running(MirrorStep)
    /// A step is about to be done.
    case due
    case waiting(until: Date)
    case blocked(MirrorError)
  }

  /// Saves that are sent together: until no further one has come for a moment, and not for long.
  struct Gathering: Equatable, Sendable {
    package let longest: TimedWait
    /// The moment without a save.
    package var quiet: TimedWait
    /// When it is looked at whether that was one; each save would otherwise need a timer of its
    /// own.
    private var look: Date

    init(from now: Date) {
      longest = TimedWait(from: now, seconds: MirrorLimits.gatheringSeconds)
      quiet = TimedWait(from: now, seconds: MirrorLimits.gatheringQuietSeconds)
      look = min(quiet.until, longest.until)
    }

    package mutating func noteSave(at now: Date) {
      quiet = TimedWait(from: now, seconds: MirrorLimits.gatheringQuietSeconds)
    }

    func isOver(at now: Date) -> Bool { quiet.isOver(at: now) || longest.isOver(at: now) }

    package var until: Date { min(quiet.until, longest.until) }

    package func alarm(at now: Date) -> Date { look > now ? look : until }

    /// The timer fired early: more saves arrived.
    mutating func noteLook() { look = until }
  }

  struct Work: OptionSet, Sendable {
    package let rawValue: UInt8
    package static let importing = Work(rawValue: 1)
    package static let exporting = Work(rawValue: 2)
    package static let both: Work = [.importing, .exporting]
  }

  /// Whether the database sends no push notifications, so that it is polled.
  package let isPolling: Bool
  /// Whether saves that come faster than they are sent are gathered for a moment.
  package let gathersSaves: Bool
  package var isStarted = false
  package var isPaused = false
  package var isSetUp = false
  var requested: Work = []
  /// The work that a waiting caller requested; other requests come later.
  var owed: Work = []
  package var resets: [MirrorStep.Reset] = []
  package var block: MirrorError?
  /// Whether it is looked at again whether the program's decision is still awaited: another device
  /// may have taken it.
  var looksAgain = false
  /// Nothing is done while this waits.
  var retry = RetryState(MirrorLimits.backOff)
  /// Nothing is sent before.
  var exportAt: TimedWait?
  /// Saves that are gathered, since they come faster than they are sent; nil where what is saved
  /// goes at once.
  var gathering: Gathering?
  var pollAt: TimedWait?
  /// The resets since something succeeded: one that does not help is not done again at once.
  var resetsInVain: Set<MirrorStep.Reset> = []
  /// Since when something is to be done without any progress: since it is wanted, or since
  /// something moved last.
  var requestedSince: Date?

  /// Since when the push channel is down, and why; nil if it is up or not used.
  package var silence: Silence?

  /// The push channel is down, so changes are polled.
  package struct Silence: Equatable, Sendable {
    package var fault: MirrorError
    /// How long that may be a mere beginning.
    let patience: TimedWait
    /// When they are asked for next.
    var pollAt: TimedWait
  }

  /// Whether the account changed while the setup runs that looks at it.
  var isSetUpOutdated = false
  /// Whether the schema changed while the export runs that depends on it.
  var isSchemaOutdated = false
  /// The step that is being done.
  package internal(set) var running: MirrorStep?
  /// Why the last step failed, if it did.
  package internal(set) var fault: MirrorError?
  /// What keeps parts from being sent.
  package internal(set) var blockers: [MirrorError] = []
  /// What keeps parts from being taken over.
  package internal(set) var unread: [MirrorError] = []
  /// Whether what was refused before is sent again, too.
  package internal(set) var sendsRefused = false
  /// How often the size of a request was halved.
  package internal(set) var halvings = 0

  package init(isPolling: Bool = false, gathersSaves: Bool = false) {
    self.isPolling = isPolling
    self.gathersSaves = gathersSaves
  }

  /// The records of a request, after what the server found too large.
  package var recordsInRequest: Int { max(1, MirrorLimits.recordsInRequest >> halvings) }
  /// The bytes of a request.
  package var bytesInRequest: Int { max(1, MirrorLimits.bytesInRequest >> halvings) }

  // MARK: What happened

  /// Takes note of something that happened outside.
  package mutating func note(_ trigger: Trigger, at now: Date) {
    switch trigger {
    case .start:
      isStarted = true
      requested = .both
    case .stop: self = MirrorMachine(isPolling: isPolling, gathersSaves: gathersSaves)
    case .saved: noteSave(at: now)
    case .unsentFound: requestExport()
    case .push: requestImport()
    case .networkReturned: retry.networkReturned()
    case .silence(let fault): noteSilence(fault, at: now)
    case .listening:
      silence = nil
      requestImport()
    case .keysArrived: lookForSealed()
    case .schemaChanged: retryRefusedBySchema()
    case .asked: ask()
    case .accountChanged: lookAtAccount()
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
    looksAgain = block.map { MirrorReaction(to: $0.kind) == .block(until: .decision) } ?? false
  }

  /// Who saves while something is being sent will save again at once as a rule: the next request
  /// takes what comes until then.
  private mutating func noteSave(at now: Date) {
    if gathering != nil {
      gathering?.noteSave(at: now)
    } else if gathersSaves, running == .exporting {
      gathering = Gathering(from: now)
    }
    requestExport()
  }

  /// What is new may go although something else was refused; it does not where there is no room for
  /// anything.
  private mutating func requestExport() {
    requested.insert(.exporting)
    if !blockers.contains(where: \.kind.concernsEverything) { exportAt = nil }
  }

  private mutating func ask() {
    (requested, owed) = (.both, .both)
    requestImport()
    retry.endWait()
    (exportAt, gathering, sendsRefused) = (nil, nil, true)
    if let block, MirrorReaction(to: block.kind) == .block(until: .account) { lookAtAccount() }
  }

  private mutating func lookAtAccount() {
    retry.endWait()
    (exportAt, isSetUp) = (nil, false)
    // A setup that runs has perhaps looked at the former account.
    isSetUpOutdated = running == .setUp
    requested = .both
    if let block, MirrorReaction(to: block.kind) == .block(until: .account) { self.block = nil }
  }

  /// The first reason of a silence is kept up to date, its beginning is not.
  private mutating func noteSilence(_ fault: MirrorError, at now: Date) {
    silence?.fault = fault
    silence =
      silence
      ?? Silence(
        fault: fault, patience: TimedWait(from: now, seconds: MirrorLimits.silenceSeconds),
        pollAt: TimedWait(from: now, seconds: MirrorLimits.silentPollSeconds))
  }

  /// The error of a push channel that is down for longer than a start takes.
  package func deafness(at now: Date) -> MirrorError? {
    silence.flatMap { $0.patience.isOver(at: now) ? $0.fault : nil }
  }

  private mutating func noteTime(_ now: Date) {
    if let exportAt, exportAt.isOver(at: now) { (self.exportAt, sendsRefused) = (nil, true) }
    if let gathering {
      if gathering.isOver(at: now) { self.gathering = nil } else { self.gathering?.noteLook() }
    }
    if let silence, silence.pollAt.isOver(at: now) {
      self.silence?.pollAt = TimedWait(from: now, seconds: MirrorLimits.silentPollSeconds)
      requestImport()
    }
    guard let pollAt, pollAt.isOver(at: now) else { return }
    self.pollAt = nil
    requestImport()
  }

  private mutating func lookForSealed() {
    guard
      (unread + blockers).contains(where: { $0.kind == .keysMissing || $0.kind == .peopleChanged })
    else { return }
    (exportAt, sendsRefused, requested) = (nil, true, .both)
  }

  /// Sends what the schema refused without waiting further.
  mutating func retryRefusedBySchema() {
    // An export that is running may meet either schema.
    isSchemaOutdated = running == .exporting
    guard blockers.contains(where: { $0.kind == .schemaNotDeployed }) else { return }
    (exportAt, sendsRefused) = (nil, true)
    requested.insert(.exporting)
  }

  /// Everything that keeps parts from being alike, each once.
  package var allBlockers: [MirrorError] { unread + blockers.filter { !unread.contains($0) } }

  // MARK: What is done

  /// Begins the next step, where there is one to do now.
  package mutating func next(at now: Date) -> MirrorStep? {
    guard running == nil, let step = due(at: now) else { return nil }
    running = step
    switch step {
    case .importing: requested.remove(.importing)
    case .exporting:
      requested.remove(.exporting)
      gathering = nil
    case .reset: resets.removeFirst()
    case .setUp: break
    }
    return step
  }

  package func due(at now: Date) -> MirrorStep? {
    guard isStarted, !isPaused, block == nil || looksAgain else { return nil }
    if retry.isWaiting(at: now) { return nil }
    if block != nil { return isSetUp ? .importing : .setUp }
    if let reset = resets.first { return .reset(reset) }
    guard !requested.isEmpty else { return nil }
    if !isSetUp { return .setUp }
    let canExport = canExport(at: now)
    // Who waits has what came already.
    if requested.contains(.importing), !(canExport && owed == .exporting) { return .importing }
    return canExport ? .exporting : nil
  }

  private func canExport(at now: Date) -> Bool {
    requested.contains(.exporting) && (exportAt?.isOver(at: now) ?? true)
      && (gathering?.isOver(at: now) ?? true)
  }

  /// Whether a caller waits for a step that can run now.
  package func isOwedAnything(at now: Date) -> Bool {
    guard !owed.isEmpty, let step = due(at: now) else { return false }
    return switch step {
    case .setUp, .reset: true
    case .importing: owed.contains(.importing)
    case .exporting: owed.contains(.exporting)
    }
  }

  /// Lets what was saved meanwhile be sent for who waits as well, once, where anything may be sent.
  package mutating func takeAlongSaves(at now: Date) {
    gathering = nil
    owed = canExport(at: now) ? .exporting : []
  }

  /// No caller waits any more.
  package mutating func endAsking() { owed = [] }

  // MARK: What it shows

  /// What the store is doing.
  package func phase(at now: Date) -> Phase {
    if let running { return .running(running) }
    if !isStarted { return .stopped }
    if let block { return .blocked(block) }
    if isPaused { return .paused }
    if due(at: now) != nil { return .due }
    return nextWaitsUntil.map { .waiting(until: $0) } ?? .idle
  }

  /// When a wait ends behind which there is a step to do; nil where nothing is to be done.
  private var nextWaitsUntil: Date? {
    let ends = [retry.until, exportAt?.until, gathering?.until].compactMap(\.self).sorted()
    return ends.first { due(at: $0) != nil }
  }

  /// When the machine needs a timer event; nil if nothing waits for one.
  package func alarm(at now: Date) -> Date? {
    guard isStarted, !isPaused else { return nil }
    // Observers of the state learn when the store has stalled, whatever it waits for.
    var times = [stallAt]
    if isSelfDriven {
      times += [pollAt?.until, silence?.pollAt.until, silence?.patience.until]
      if !requested.isEmpty || !resets.isEmpty { times.append(retry.until) }
      if requested == .exporting { times += [exportAt?.until, gathering?.alarm(at: now)] }
    }
    return times.compactMap(\.self).filter { $0 > now }.min()
  }

  /// Whether the store can go on without a sign-in.
  ///
  /// A store that awaits a decision can, because another device may decide.
  private var isSelfDriven: Bool {
    block.map { MirrorReaction(to: $0.kind) == .block(until: .decision) } ?? true
  }

  private var stallAt: Date? { requestedSince?.addingTimeInterval(MirrorLimits.stallSeconds) }

  /// Whether something was to be done for long, and nothing moved.
  package func isStalled(at now: Date) -> Bool { stallAt.map { $0 <= now } ?? false }

  /// Takes note that something of the running step has come or gone.
  package mutating func noteProgress(at now: Date) {
    if requestedSince != nil { requestedSince = now }
  }

  /// Notes since when something is wanted.
  package mutating func watch(at now: Date) {
    let isBusy = !requested.isEmpty || !resets.isEmpty || running != nil
    let isWanted = isStarted && !isPaused && isBusy
    // A moment that has not come was received by a clock that was ahead.
    requestedSince = isWanted ? min(requestedSince ?? now, now) : nil
  }
}
