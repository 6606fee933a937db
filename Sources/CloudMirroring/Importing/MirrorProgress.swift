import Synchronization

/// The progress of an import.
final class MirrorProgress: Sendable {
  private let state = Mutex((received: 0, isGoingOn: false))

  func received(_ count: Int) {
    state.withLock { state in
      state = (state.isGoingOn ? state.received + count : count, true)
    }
  }

  func finishImport() { state.withLock { $0.isGoingOn = false } }

  /// The number of records that the current or the last import received.
  var count: Int { state.withLock { $0.received } }
}
