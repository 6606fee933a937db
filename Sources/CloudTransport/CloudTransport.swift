/// Sends requests to a server and returns its responses.
///
/// A transport does not know records: it handles addresses, header fields and bodies. There are two
/// implementations, HTTP over sockets and the real server in process. Both pass one conformance
/// suite.
///
/// If the task of a call is cancelled, the call throws `TransportError.Kind.cancelled` and leaves
/// no connection or file open.
package protocol CloudTransport: Sendable {
  /// Sends a request, and returns the complete response.
  ///
  /// - Throws: A `TransportError` if no complete response arrived. A response with an error status
  ///   is returned.
  func send(_ request: TransportRequest) async throws(TransportError) -> TransportResponse

  /// Sends a request, and appends the body of a successful response to a file as it arrives.
  ///
  /// If the file already has the beginning of the body, the request asks for the rest. If the
  /// server sends everything, the file is truncated first. After an error the received part stays
  /// in the file, so calling again resumes the download.
  ///
  /// - Parameters:
  ///   - path: The file, which is created if it does not exist.
  ///   - progress: Receives the size of the file, and its final size if that is known.
  /// - Returns: The response. Its body is empty if it was written to the file.
  func download(
    _ request: TransportRequest, to path: String, progress: @escaping TransportProgress
  ) async throws(TransportError) -> TransportResponse

  /// Sends a request, and streams the body of the response in pieces.
  func open(_ request: TransportRequest) async throws(TransportError) -> TransportStream
}

/// Receives the number of transferred bytes, and the total if it is known.
package typealias TransportProgress = @Sendable (_ done: Int64, _ total: Int64?) -> Void

/// A response whose body arrives in pieces.
package struct TransportStream: Sendable {
  /// The head of the response.
  ///
  /// Its body is empty.
  package let head: TransportResponse
  /// The pieces of the body.
  ///
  /// Cancelling the task that iterates, or releasing the stream, closes the connection. A failure
  /// ends the iteration with a `TransportError`.
  package let pieces: AsyncThrowingStream<[UInt8], any Error>

  package init(head: TransportResponse, pieces: AsyncThrowingStream<[UInt8], any Error>) {
    self.head = head
    self.pieces = pieces
  }
}
