package import Foundation

extension MirrorMachine {
  /// The error that keeps the store and its database from being equal; nil for none.
  ///
  /// Unreadable records and values do not count unless changes of their objects are pending: the
  /// state lists them. Later saves and remote changes do not count, because they sync by
  /// themselves.
  package func obstacle(at now: Date) -> MirrorError? {
    switch phase(at: now) {
    case .blocked(let fault): fault
    case .paused: .paused
    case .stopped: MirrorError(.storeRemoved, "The store is not mirrored any more.")
    case .idle, .waiting, .due, .running:
      fault ?? (unread.filter { !$0.kind.concernsSingleRecord } + sending.blockers).first
    }
  }

  /// The current blocker.
  package func blocker(at now: Date) -> MirrorError? {
    workBlocker ?? fault ?? allBlockers.first ?? pushOutage(at: now)
  }

  /// The error that stops all work until the user or the program acts.
  package var workBlocker: MirrorError? { block ?? (isStarted && isPaused ? .paused : nil) }
}
