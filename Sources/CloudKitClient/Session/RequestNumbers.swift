import CloudWire
import Synchronization

/// Numbers the modifying requests of a session (`RequestStamp`).
///
///     begin ──▶ 1, 2, 3 …, each open until its end ──▶ the server ignores late copies
final class RequestNumbers: Sendable {
  private struct State {
    /// The unique name of this client, made for the first request.
    var client: String?
    var last: UInt64 = 0
    var open: Set<UInt64> = []
  }

  private let state = Mutex(State())

  /// Numbers a request.
  ///
  /// - Parameter makeName: Returns a unique name for this client.
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

  /// Marks a request as ended, whatever its outcome.
  func end(_ stamp: RequestStamp) { _ = state.withLock { $0.open.remove(stamp.number) } }
}
