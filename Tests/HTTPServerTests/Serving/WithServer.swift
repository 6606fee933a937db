import HTTPServer
import TestSupport
import Testing

/// Runs a server for a test, and expects at its end that no connection is left.
func withServer(
  _ configure: (inout HTTPServer.Configuration) -> Void = { _ in },
  handler: @escaping HTTPServer.Handler,
  _ body: (HTTPServer, SocketAddress) async throws -> Void
) async throws {
  var configuration = HTTPServer.Configuration()
  configure(&configuration)
  let server = HTTPServer(configuration, handler: handler)
  let address = try await server.start()
  do {
    try await body(server, address)
  } catch {
    await server.shutdown(within: .zero)
    throw error
  }
  await server.shutdown(within: .zero)
  #expect(server.connectionCount == 0)
}

/// A request without a body.
func get(_ path: String, _ fields: String = "") -> String {
  "GET \(path) HTTP/1.1\r\nHost: localhost\r\n\(fields)\r\n"
}

/// A request with a body.
func post(_ path: String, _ body: String, _ fields: String = "") -> String {
  "POST \(path) HTTP/1.1\r\nHost: localhost\r\nContent-Length: \(body.utf8.count)\r\n\(fields)\r\n\(body)"
}

extension RawClient {
  /// Connects to a server on this machine.
  convenience init(_ address: SocketAddress, receiveBuffer: CInt? = nil) throws {
    try self.init(port: address.port, receiveBuffer: receiveBuffer)
  }
}
