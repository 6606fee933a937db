/// What a handler answers.
package struct HTTPResponse: Sendable {
  /// Where the bytes of the body come from.
  package enum Body: Sendable {
    /// From memory.
    case bytes([UInt8])
    /// From a file, without being copied into memory.
    case file(HTTPFile)
    /// From a closure that writes part after part, at the pace of the client. It may wait between
    /// them for as long as it likes; when the client goes away, its task is cancelled. The length
    /// of all parts is told to the client where it is known.
    case parts(length: Int?, @Sendable (HTTPResponseWriter) async throws -> Void)
  }

  package var status: HTTPStatus
  package var headers: HTTPHeaders
  package var body: Body
  /// An object that the connection keeps until it has written the last byte of `.bytes`.
  ///
  /// A handler that counts the memory of its answers learns by the object's end that the memory is
  /// free.
  package var retained: (any AnyObject & Sendable)?

  package init(_ status: HTTPStatus = .ok, headers: HTTPHeaders = [:], body: Body = .bytes([])) {
    self.status = status
    self.headers = headers
    self.body = body
  }

  /// A response with a text.
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
