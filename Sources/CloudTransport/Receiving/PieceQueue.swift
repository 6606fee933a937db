internal import Synchronization

/// The bytes of an answer between the transport and who reads them, so many at most.
///
///     transport ──offer──▶ bytes ──next──▶ reader
///         ▲                  │
///         └─────onRoom───────┘   after an offer that was not taken
package final class PieceQueue: Sendable {
  /// What a reader gets; nil at the end.
  private typealias Piece = Result<[UInt8]?, TransportError>

  private struct State {
    var bytes: [UInt8] = []
    var end: Result<Void, TransportError>?
    var reader: CheckedContinuation<Piece, Never>?
    var hasRefused = false

    /// What can be read now; nil where the reader has to wait.
    mutating func take() -> Piece? {
      if !bytes.isEmpty {
        defer { bytes = [] }
        return .success(bytes)
      }
      return end?.map { nil }
    }

    /// The reader that waits, and what it gets, where there are both.
    mutating func delivery() -> (CheckedContinuation<Piece, Never>, Piece)? {
      guard let reader, let piece = take() else { return nil }
      self.reader = nil
      return (reader, piece)
    }
  }

  private let state = Mutex(State())
  private let limit: Int
  private let onRoom: @Sendable () -> Void

  /// - Parameters:
  ///   - limit: With this many bytes waiting nothing more is taken.
  ///   - onRoom: Is called once after an offer was refused, when there is room.
  package init(limit: Int, onRoom: @escaping @Sendable () -> Void) {
    self.limit = limit
    self.onRoom = onRoom
  }

  /// Takes bytes; false where they have to be offered again.
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

  /// Nothing more comes.
  ///
  /// What came can still be read; of several ends the first counts.
  package func finish(_ end: Result<Void, TransportError>) {
    let delivery = state.withLock { state in
      state.end = state.end ?? end
      return state.delivery()
    }
    delivery.map { $0.resume(returning: $1) }
  }

  /// All bytes that have come; nil at the end.
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
