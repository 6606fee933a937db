import CloudWire
import Synchronization

/// Numbers what a session asks the server to change (`RequestStamp`).
///
///     begin ──▶ 1, 2, 3 …, each open until it ends ──▶ what is not open any more is over: the server does it no more
final class RequestNumbers: Sendable {
  private struct State {
    /// Made for the first request.
    var client: String?
    var last: UInt64 = 0
    var open: Set<UInt64> = []
  }

  private let state = Mutex(State())

  /// - Parameter makeName: Gives a name that nobody else has.
  func begin(_ makeName: () -> String) -> RequestStamp {
    state.withLock { state in
      let client = state.client ?? makeName()
      state.client = client
      state.last += 1
      state.open.insert(state.last)
      return RequestStamp(
        client: client, number: state.last, oldest: state.open.min() ?? state.last)
    }
  }

  /// Notes that nobody waits for a request any more, whatever became of it.
  func end(_ stamp: RequestStamp) { _ = state.withLock { $0.open.remove(stamp.number) } }
}
