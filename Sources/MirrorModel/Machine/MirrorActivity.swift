/// The activity of a machine, apart from its waits.
package enum MirrorActivity: Equatable, Sendable {
  case stopped
  /// Between two steps.
  case resting
  case running(RunningStep)
  /// Work stops until an event outside the machine lifts the block.
  ///
  /// If another device may have made the program's decision, an import checks whether the decision
  /// is still awaited.
  case blocked(MirrorError, checksAgain: Bool)
  /// The store is blocked, and a step checks whether the decision is still awaited.
  case checking(RunningStep, MirrorError)

  /// A step, and whether the state that it depends on changed while it runs.
  package struct RunningStep: Equatable, Sendable {
    package let step: MirrorStep
    package var isOutdated = false
  }

  /// The step that runs.
  var running: RunningStep? {
    switch self {
    case .running(let running), .checking(let running, _): running
    case .stopped, .resting, .blocked: nil
    }
  }

  /// The error that blocks the store.
  var block: MirrorError? {
    switch self {
    case .blocked(let failure, _), .checking(_, let failure): failure
    case .stopped, .resting, .running: nil
    }
  }

  /// Whether only the program's decision lifts the block.
  var awaitsDecision: Bool { isBlocked(until: .decision) }

  func isBlocked(until lifting: MirrorReaction.Lifting) -> Bool {
    block.map { MirrorReaction(to: $0.kind) == .block(until: lifting) } ?? false
  }

  mutating func begin(_ step: MirrorStep) {
    let running = RunningStep(step: step)
    self = block.map { .checking(running, $0) } ?? .running(running)
  }

  /// Ends the running step.
  ///
  /// A blocked store stays blocked, and checks again.
  mutating func end() { self = block.map { .blocked($0, checksAgain: true) } ?? .resting }

  /// Marks a step as outdated if it is running, because the state that it depends on changed.
  mutating func outdate(_ step: MirrorStep) {
    guard var running, running.step == step else { return }
    running.isOutdated = true
    self = block.map { .checking(running, $0) } ?? .running(running)
  }

  /// Checks a block again if another device may have made the decision.
  mutating func checkAgain() {
    if case .blocked(let error, _) = self { self = .blocked(error, checksAgain: awaitsDecision) }
  }

  mutating func unblock() {
    switch self {
    case .blocked: self = .resting
    case .checking(let running, _): self = .running(running)
    case .stopped, .resting, .running: break
    }
  }
}
