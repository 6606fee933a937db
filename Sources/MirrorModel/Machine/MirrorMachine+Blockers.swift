package import Foundation

extension MirrorMachine {
  /// The error that keeps the store and its database from being equal; nil for none.
  ///
  /// Unreadable records and values do not count unless changes of their objects are pending: the
  /// state lists them. Later saves and remote changes do not count, because they sync by
  /// themselves.
  package func syncBlocker(at now: Date) -> MirrorError? {
    switch phase(at: now) {
    case .blocked(let failure): failure
    case .paused: .paused
    case .stopped: MirrorError(.storeRemoved, "The store is not mirrored any more.")
    case .idle, .waiting, .due, .running:
      failure ?? (unread.filter { !$0.kind.concernsSingleRecord } + sending.blockers).first
    }
  }

  /// The current blocker.
  package func blocker(at now: Date) -> MirrorError? {
    workBlocker ?? failure ?? allBlockers.first ?? pushOutage(at: now)
  }

  /// The error that stops all work until the user or the program acts.
  package var workBlocker: MirrorError? { block ?? (isStarted && isPaused ? .paused : nil) }
}
