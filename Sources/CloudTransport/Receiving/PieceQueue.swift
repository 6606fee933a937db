internal import Synchronization

/// A bounded queue of response bytes between the transport and a reader.
///
///     transport ──offer──▶ bytes ──next──▶ reader
///         ▲                  │
///         └─────onRoom───────┘   after an offer that was not taken
package final class PieceQueue: Sendable {
  /// The next piece for a reader, or nil at the end.
  private typealias Piece = Result<[UInt8]?, TransportError>

  private struct State {
    var bytes: [UInt8] = []
    var end: Result<Void, TransportError>?
    var reader: CheckedContinuation<Piece, Never>?
    var hasRefused = false

    /// Removes what can be read now, or returns nil if the reader must wait.
    mutating func take() -> Piece? {
      if !bytes.isEmpty {
        defer { bytes = [] }
        return .success(bytes)
      }
      return end?.map { nil }
    }

    /// The waiting reader and its piece, if both exist.
    mutating func delivery() -> (CheckedContinuation<Piece, Never>, Piece)? {
      guard let reader, let piece = take() else { return nil }
      self.reader = nil
      return (reader, piece)
    }
  }

  private let state = Mutex(State())
  private let limit: Int
  private let onRoom: @Sendable () -> Void

  /// Creates a queue.
  ///
  /// - Parameters:
  ///   - limit: The number of queued bytes from which offers are refused.
  ///   - onRoom: Called once after a refused offer, when there is room again.
  package init(limit: Int, onRoom: @escaping @Sendable () -> Void) {
    self.limit = limit
    self.onRoom = onRoom
  }

  /// Adds bytes, or returns false if they must be offered again later.
  package func offer(_ bytes: [UInt8]) -> Bool {
    let (isTaken, delivery) = state.withLock { state in
      guard state.bytes.count < limit else {
        state.hasRefused = true
        return (false, nil as (CheckedContinuation<Piece, Never>, Piece)?)
      }
      if state.bytes.isEmpty { state.bytes = bytes } else { state.bytes.append(contentsOf: bytes) }
      return (true, state.delivery())
    }
    delivery.map { $0.resume(returning: $1) }
    return isTaken
  }

  /// Ends the queue.
  ///
  /// Queued bytes can still be read. The first of several ends counts.
  package func finish(_ end: Result<Void, TransportError>) {
    let delivery = state.withLock { state in
      state.end = state.end ?? end
      return state.delivery()
    }
    delivery.map { $0.resume(returning: $1) }
  }

  /// Returns all queued bytes, or nil at the end.
  package func next() async throws(TransportError) -> [UInt8]? {
    let piece = await withCheckedContinuation { (reader: CheckedContinuation<Piece, Never>) in
      let delivery = state.withLock { state in
        precondition(state.reader == nil, "Two tasks read the body of one answer.")
        state.reader = reader
        return state.delivery()
      }
      delivery.map { $0.resume(returning: $1) }
    }
    makeRoom()
    return try piece.get()
  }

  private func makeRoom() {
    let hasRefused = state.withLock { state in
      defer { state.hasRefused = false }
      return state.hasRefused
    }
    if hasRefused { onRoom() }
  }
}
