package import Foundation

extension MirrorMachine {
  /// What keeps the two sides from having everything that can be had; nil where nothing does.
  ///
  /// A record that no device can read, or a value that this one cannot, is none of that, as long as
  /// nothing waits to be sent of its object: the state tells of it. Neither is what was saved or
  /// received since: that goes by itself.
  package func obstacle(at now: Date) -> MirrorError? {
    switch phase(at: now) {
    case .blocked(let fault): fault
    case .paused: .paused
    case .stopped: MirrorError(.storeRemoved, "The store is not mirrored any more.")
    case .idle, .waiting, .due, .running:
      fault ?? (unread.filter { !$0.kind.isOfSingleContents } + blockers).first
    }
  }

  /// What stands in the way now.
  package func blocker(at now: Date) -> MirrorError? {
    standstill ?? fault ?? allBlockers.first ?? deafness(at: now)
  }

  /// What stops all work until the user or the program acts.
  package var standstill: MirrorError? { block ?? (isStarted && isPaused ? .paused : nil) }
}
