package import Foundation
import SyncKernel

extension MirrorMachine {
  /// Takes note of how the running step ended.
  ///
  /// - Parameter chance: From 0 to 1: spreads the waits of many devices.
  package mutating func end(_ outcome: MirrorOutcome, at now: Date, chance: Double) {
    guard let step = running else { return }
    running = nil
    if outcome.hasMoved { requestedSince = nil }
    defer { if step == .setUp { isSetUpOutdated = false } }
    if step == .importing, outcome.fault == nil { unread = outcome.blockers }
    if step == .exporting { (blockers, sendsRefused) = (outcome.blockers, false) }
    if let fault = outcome.fault {
      failed(step, fault, at: now, chance)
    } else {
      succeeded(step, outcome, at: now)
    }
    if step == .exporting, isSchemaOutdated { retryRefusedBySchema() }
    watch(at: now)
  }

  private mutating func succeeded(_ step: MirrorStep, _ outcome: MirrorOutcome, at now: Date) {
    if looksAgain { (block, looksAgain) = step == .importing ? (nil, false) : (block, true) }
    fault = block
    retry.succeeded()
    switch step {
    case .setUp: isSetUp = !isSetUpOutdated
    case .importing:
      resetsInVain = []
      if outcome.hasMore { requested.insert(.importing) } else { owed.remove(.importing) }
      if isPolling { pollAt = TimedWait(from: now, seconds: MirrorLimits.pollSeconds) }
    case .exporting:
      resetsInVain = []
      // What can go, goes at once; what was refused, later.
      let isHeld = !outcome.blockers.isEmpty && !outcome.hasMore
      exportAt = isHeld ? TimedWait(from: now, seconds: MirrorLimits.hindranceWaitSeconds) : nil
      if isHeld || outcome.hasMore { requested.insert(.exporting) }
      if !outcome.hasMore { owed.remove(.exporting) }
      // What is too large by itself was held back, and is no reason to send the rest in small
      // parts.
      halvings = 0
    case .reset(let reset): begin(after: reset)
    }
  }

  /// What follows when something was forgotten.
  private mutating func begin(after reset: MirrorStep.Reset) {
    requested = .both
    if !owed.isEmpty { owed = .both }
    switch reset {
    case .tokens: break
    case .zone, .encryptedData, .objects, .cloud, .account: isSetUp = false
    }
  }

  private mutating func failed(
    _ step: MirrorStep, _ fault: MirrorError, at now: Date, _ chance: Double
  ) {
    self.fault = fault
    requestAgain(step)
    // The program has decided meanwhile.
    let isDecided = !resets.isEmpty && MirrorReaction(to: fault.kind) == .block(until: .decision)
    if isDecided { return }
    // A public database can be read without the permission to write.
    if isPolling, step == .exporting, fault.kind.lacksUser {
      return hold(step, fault, at: now, chance)
    }
    switch MirrorReaction(to: fault.kind) {
    case .tryAgain: wait(fault, at: now, chance)
    case .sendLess:
      if recordsInRequest == 1 { return wait(fault, at: now, chance) }
      halvings += 1
    case .reset(let reset):
      (block, looksAgain) = (nil, false)
      // A reset that was done already and did not help is waited for.
      if !resetsInVain.insert(reset).inserted { wait(fault, at: now, chance) }
      resets.append(reset)
    case .holdExport: hold(step, fault, at: now, chance)
    case .block: (block, looksAgain) = (fault, false)
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
    _ step: MirrorStep, _ fault: MirrorError, at now: Date, _ chance: Double
  ) {
    guard step == .exporting else { return wait(fault, at: now, chance) }
    owed = []
    if !blockers.contains(fault) { blockers.append(fault) }
    exportAt = TimedWait(
      from: now, seconds: fault.retryAfterSeconds ?? MirrorLimits.hindranceWaitSeconds)
  }

  /// Waits as long as the server says, or longer each time.
  private mutating func wait(_ fault: MirrorError, at now: Date, _ chance: Double) {
    owed = []
    retry.failed(retryAfterSeconds: fault.retryAfterSeconds, at: now, chance: chance)
  }
}
