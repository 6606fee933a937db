/// What the program alone can decide.
extension MirrorMachine {
  /// Whether a decision is awaited: else it is taken in vain.
  package func awaits(_ decision: Trigger) -> Bool { reset(by: decision) != nil }

  /// Goes on as the program has decided, where that was awaited.
  package mutating func decide(_ decision: Trigger) {
    guard let reset = reset(by: decision) else { return }
    activity.unblock()
    (resets, requested) = ([reset], .both)
  }

  /// What a decision has done first, where it answers what stands in the way; nil for all else that
  /// may happen.
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
