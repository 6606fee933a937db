import Synchronization

/// How much of an import has come.
final class MirrorProgress: Sendable {
  private let state = Mutex((received: 0, isGoingOn: false))

  func received(_ count: Int) {
    state.withLock { state in
      state = (state.isGoingOn ? state.received + count : count, true)
    }
  }

  func finishImport() { state.withLock { $0.isGoingOn = false } }

  /// The records of the import that is going on, or of the last one.
  var count: Int { state.withLock { $0.received } }
}
