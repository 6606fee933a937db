/// A handler's response.
package struct HTTPResponse: Sendable {
  /// The source of the body's bytes.
  package enum Body: Sendable {
    /// Bytes in memory.
    case bytes([UInt8])
    /// A file, which is never loaded whole into memory.
    case file(HTTPFile)
    /// Parts that a closure writes at the client's pace.
    ///
    /// The closure may suspend between parts for any time. Its task is cancelled if the client
    /// disconnects. The response announces the length of all parts if it is known.
    case parts(length: Int?, @Sendable (HTTPResponseWriter) async throws -> Void)
  }

  package var status: HTTPStatus
  package var headers: HTTPHeaders
  package var body: Body
  /// The memory of `.bytes`, which the connection keeps until it has written the last byte.
  ///
  /// A handler that counts the memory of its responses learns in this way when the memory is free.
  /// While the memory is short, the client must read faster.
  package var retained: (any BudgetedMemory)?

  package init(_ status: HTTPStatus = .ok, headers: HTTPHeaders = [:], body: Body = .bytes([])) {
    self.status = status
    self.headers = headers
    self.body = body
  }

  /// Creates a response with a text.
  package init(_ status: HTTPStatus = .ok, text: String) {
    self.init(
      status, headers: ["Content-Type": "text/plain; charset=utf-8"], body: .bytes(Array(text.utf8))
    )
  }
}

/// An error that a handler throws to answer with a status and a sentence.
package struct HTTPFailure: Error, Sendable {
  package let status: HTTPStatus
  package let message: String

  package init(_ status: HTTPStatus, _ message: String) {
    self.status = status
    self.message = message
  }
}
