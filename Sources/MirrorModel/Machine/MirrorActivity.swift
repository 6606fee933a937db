/// The activity of a machine, apart from its waits.
package enum MirrorActivity: Equatable, Sendable {
  case stopped
  /// Between two steps.
  case resting
  case running(RunningStep)
  /// Nothing goes on until something happens outside.
  ///
  /// The store looks again if an import has to check whether the program's decision is still
  /// awaited: another device may have made it.
  case blocked(MirrorError, looksAgain: Bool)
  /// A blocked store looks whether the decision is still awaited.
  case checking(RunningStep, MirrorError)

  /// A step, and whether what it depends on changed while it runs.
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
    case .blocked(let fault, _), .checking(_, let fault): fault
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
  /// A store that was blocked still is, and looks again.
  mutating func end() { self = block.map { .blocked($0, looksAgain: true) } ?? .resting }

  /// Notes that what a step depends on has changed; the step matters only if it runs.
  mutating func outdate(_ step: MirrorStep) {
    guard var running, running.step == step else { return }
    running.isOutdated = true
    self = block.map { .checking(running, $0) } ?? .running(running)
  }

  /// Looks again if the decision may have been made elsewhere.
  mutating func lookAgain() {
    if case .blocked(let fault, _) = self { self = .blocked(fault, looksAgain: awaitsDecision) }
  }

  mutating func unblock() {
    switch self {
    case .blocked: self = .resting
    case .checking(let running, _): self = .running(running)
    case .stopped, .resting, .running: break
    }
  }
}
