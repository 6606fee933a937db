/// A request, as a handler gets it.
package struct HTTPRequest: Sendable {
  /// The method, the target and the fields.
  package let head: HTTPRequestHead
  /// Names the request in logs; the response has it as `X-Request-ID`.
  package let id: HTTPRequestID
  /// Who sent it: the client, or the proxy in front of this server.
  package let remoteAddress: SocketAddress
  /// Whether it came through TLS.
  package let isSecure: Bool
  /// The body.
  package let body: HTTPRequestBody

  /// A request that no client sent, such as a test has.
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
  /// What stands behind the question mark, still percent-encoded.
  package var query: String? { head.query }
  package var headers: HTTPRequestHeaders { head.headers }

  /// The whole body, which must not be longer than a limit.
  package func collect(limit: Int) async throws -> [UInt8] { try await body.collect(limit: limit) }
}
