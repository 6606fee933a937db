import Foundation
import MirrorModel

/// The steps of a machine, with a clock that the test moves.
struct Transcript {
  var machine: MirrorMachine
  var now = Date(timeIntervalSinceReferenceDate: 0)

  init(isPolling: Bool = false, debouncesSaves: Bool = false) {
    machine = MirrorMachine(isPolling: isPolling, debouncesSaves: debouncesSaves)
  }

  mutating func note(_ trigger: MirrorMachine.Trigger) { machine.note(trigger, at: now) }

  mutating func wait(_ seconds: Double) {
    now.addTimeInterval(seconds)
    machine.note(.timer, at: now)
  }

  mutating func next() -> MirrorStep? { machine.next(at: now) }

  mutating func end(_ kind: MirrorError.Kind? = nil, retryAfter: Double? = nil, moved: Bool = false)
  {
    let failure = kind.map { MirrorError($0, "It failed.", retryAfterSeconds: retryAfter) }
    machine.end(MirrorOutcome(failure: failure, hasMoved: moved), at: now, chance: 1)
  }

  /// Runs steps, all of which succeed, until none is due.
  mutating func runAll() -> [MirrorStep] {
    var steps: [MirrorStep] = []
    while let step = next() {
      steps.append(step)
      end()
    }
    return steps
  }

  var phase: MirrorMachine.Phase { machine.phase(at: now) }
}
