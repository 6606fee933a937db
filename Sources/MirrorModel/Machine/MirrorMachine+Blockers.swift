package import Foundation

extension MirrorMachine {
  /// The error that keeps the store and its database from being equal; nil for none.
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
      fault ?? (unread.filter { !$0.kind.isOfSingleContents } + sending.blockers).first
    }
  }

  /// The present blocker.
  package func blocker(at now: Date) -> MirrorError? {
    standstill ?? fault ?? allBlockers.first ?? deafness(at: now)
  }

  /// The error that stops all work until the user or the program acts.
  package var standstill: MirrorError? { block ?? (isStarted && isPaused ? .paused : nil) }
}
