/// Carries requests to a server, and its answers back.
///
/// A transport knows nothing of records: it has addresses, header fields and bodies. There are two
/// of them, HTTP over sockets and the real server without any, and one suite of tests holds for
/// both.
///
/// All calls end early with `TransportError.Kind.cancelled` when their task is cancelled, and leave
/// no connection or file behind.
package protocol CloudTransport: Sendable {
  /// Sends a request, and gives its whole answer.
  ///
  /// - Throws: A fault where no whole answer came. An answer that tells an error is an answer.
  func send(_ request: TransportRequest) async throws(TransportError) -> TransportResponse

  /// Sends a request, and appends the body of a successful answer to a file as it comes.
  ///
  /// A part of the body that is in the file already is not fetched again: the request asks for the
  /// rest, and the file is emptied where the server gives all of it. What came before a fault stays
  /// in the file, so that the same call goes on where it stopped.
  ///
  /// - Parameters:
  ///   - path: The file, which is made where there is none.
  ///   - progress: Is told how many bytes the file has, and how many it will have where that is
  ///     known.
  /// - Returns: The answer; its body is empty where it went into the file.
  func download(
    _ request: TransportRequest, to path: String, progress: @escaping TransportProgress
  ) async throws(TransportError) -> TransportResponse

  /// Sends a request whose answer's body is handed on piece by piece for as long as it comes.
  func open(_ request: TransportRequest) async throws(TransportError) -> TransportStream
}

/// Is told how many bytes have gone or come, and how many it will be where that is known.
package typealias TransportProgress = @Sendable (_ done: Int64, _ total: Int64?) -> Void

/// An answer whose body comes piece by piece.
package struct TransportStream: Sendable {
  /// The answer's head; its body is empty.
  package let head: TransportResponse
  /// The body's pieces.
  ///
  /// Ending the iteration, or its task, closes the connection. A fault ends it by an error, which
  /// is a `TransportError`.
  package let pieces: AsyncThrowingStream<[UInt8], any Error>

  package init(head: TransportResponse, pieces: AsyncThrowingStream<[UInt8], any Error>) {
    self.head = head
    self.pieces = pieces
  }
}
