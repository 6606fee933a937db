/// A request that a handler receives.
package struct HTTPRequest: Sendable {
  /// The method, the target and the header fields.
  package let head: HTTPRequestHead
  /// The identifier of the request in logs, and in the `X-Request-ID` field of the response.
  package let id: HTTPRequestID
  /// The address of the client, or of the proxy in front of this server.
  package let remoteAddress: SocketAddress
  /// Whether the request arrived over TLS.
  package let isSecure: Bool
  /// The body.
  package let body: HTTPRequestBody

  /// Creates a request without a client, for example in a test.
  package init(
    head: HTTPRequestHead, id: HTTPRequestID, remoteAddress: SocketAddress, isSecure: Bool,
    body: HTTPRequestBody
  ) {
    self.head = head
    self.id = id
    self.remoteAddress = remoteAddress
    self.isSecure = isSecure
    self.body = body
  }

  package var method: HTTPMethod { head.method }
  /// The path, still percent-encoded.
  package var path: String { head.path }
  /// The part of the target after the question mark, still percent-encoded.
  package var query: String? { head.query }
  package var headers: HTTPRequestHeaders { head.headers }

  /// Collects the whole body, up to a limit.
  package func collect(limit: Int) async throws -> [UInt8] { try await body.collect(limit: limit) }
}
