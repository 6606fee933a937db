package import Foundation
import SyncKernel

extension MirrorMachine {
  /// Ends the running step with its outcome.
  ///
  /// - Parameter chance: A random number from 0 to 1, which spreads the retries of many devices.
  package mutating func end(_ outcome: MirrorOutcome, at now: Date, chance: Double) {
    guard let running = activity.running else { return }
    activity.end()
    if outcome.hasMoved { requestedSince = nil }
    if running.step == .importing, outcome.failure == nil { unread = outcome.blockers }
    if running.step == .exporting { sending.end(outcome.blockers) }
    if let failure = outcome.failure {
      failed(running.step, failure, at: now, chance)
    } else {
      succeeded(running, outcome, at: now)
    }
    if running.isOutdated { retryBlocked() }
    watch(at: now)
  }

  private mutating func succeeded(
    _ running: MirrorActivity.RunningStep, _ outcome: MirrorOutcome, at now: Date
  ) {
    if running.step == .importing { activity.unblock() }
    failure = block
    retry.succeeded()
    switch running.step {
    case .setUp: isSetUp = !running.isOutdated
    case .importing:
      ineffectiveResets = []
      if outcome.hasMore { requested.insert(.importing) } else { callerWork.remove(.importing) }
      if isPolling { poll = TimedWait(from: now, seconds: MirrorLimits.pollSeconds) }
    case .exporting:
      ineffectiveResets = []
      // Rejected changes wait; others are sent at once.
      let isHeld = !outcome.blockers.isEmpty && !outcome.hasMore
      if isHeld { sending.hold(nil, at: now) } else { sending.endPause() }
      if isHeld || outcome.hasMore { requested.insert(.exporting) }
      if !outcome.hasMore { callerWork.remove(.exporting) }
      // A record that is too large by itself was held back; the others need no small requests.
      sending.halvings = 0
    case .reset(let reset): begin(after: reset)
    }
  }

  /// Requests what follows a reset.
  private mutating func begin(after reset: MirrorStep.Reset) {
    requested = .both
    if !callerWork.isEmpty { callerWork = .both }
    switch reset {
    case .tokens: break
    case .zone, .encryptedData, .objects, .cloud, .account: isSetUp = false
    }
  }

  private mutating func failed(
    _ step: MirrorStep, _ failure: MirrorError, at now: Date, _ chance: Double
  ) {
    self.failure = failure
    requestAgain(step)
    // The program may have made its decision while the step ran.
    let isDecided = !resets.isEmpty && MirrorReaction(to: failure.kind) == .block(until: .decision)
    if isDecided { return }
    // A public database can be read without the permission to write.
    if isPolling, step == .exporting, failure.kind.lacksUser {
      return hold(step, failure, at: now, chance)
    }
    switch MirrorReaction(to: failure.kind) {
    case .tryAgain: wait(failure, at: now, chance)
    case .sendLess:
      guard step == .exporting, sending.recordsInRequest > 1 else {
        return wait(failure, at: now, chance)
      }
      sending.halvings += 1
    case .reset(let reset):
      activity.unblock()
      // A reset that did not help is repeated only after a back-off.
      if !ineffectiveResets.insert(reset).inserted { wait(failure, at: now, chance) }
      resets.append(reset)
    case .holdExport: hold(step, failure, at: now, chance)
    case .block: activity = .blocked(failure, checksAgain: false)
    }
  }

  private mutating func requestAgain(_ step: MirrorStep) {
    switch step {
    case .setUp: isSetUp = false
    case .importing: requested.insert(.importing)
    case .exporting: requested.insert(.exporting)
    case .reset(let reset): resets.insert(reset, at: 0)
    }
  }

  private mutating func hold(
    _ step: MirrorStep, _ failure: MirrorError, at now: Date, _ chance: Double
  ) {
    guard step == .exporting else { return wait(failure, at: now, chance) }
    callerWork = []
    if !sending.blockers.contains(failure) { sending.blockers.append(failure) }
    sending.hold(failure.retryAfterSeconds, at: now)
  }

  /// Waits as long as the server asked, or backs off.
  private mutating func wait(_ failure: MirrorError, at now: Date, _ chance: Double) {
    callerWork = []
    retry.failed(retryAfterSeconds: failure.retryAfterSeconds, at: now, chance: chance)
  }
}
