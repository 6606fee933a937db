/// Decisions that only the program can make.
extension MirrorMachine {
  /// Whether a decision is awaited; otherwise it has no effect.
  package func awaits(_ decision: Trigger) -> Bool { reset(by: decision) != nil }

  /// Continues as the program decided, if the decision was awaited.
  package mutating func decide(_ decision: Trigger) {
    guard let reset = reset(by: decision) else { return }
    activity.unblock()
    (resets, requested) = ([reset], .both)
  }

  /// The reset that a decision requires; nil if the blocker does not await this decision.
  private func reset(by decision: Trigger) -> MirrorStep.Reset? {
    guard let block else { return nil }
    switch decision {
    case .decided(let uploadAgain):
      guard activity.awaitsDecision else { return nil }
      return uploadAgain ? .zone : .objects
    case .moved: return block.kind == .cloudChanged ? .cloud : nil
    case .accountResolved(let takesAlong):
      guard block.kind == .accountChanged else { return nil }
      return takesAlong ? .cloud : .account
    default: return nil
    }
  }
}
