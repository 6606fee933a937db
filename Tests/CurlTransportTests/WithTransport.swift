import CloudTransport
import CurlTransport
import HTTPServer
import TestSupport
import Testing

/// A transport and an HTTP server for a test.
struct TransportAndServer {
  let transport: CurlTransport
  let server: HTTPServer
  let port: UInt16

  /// The address of a path at the server.
  func address(_ path: String) -> String { "http://127.0.0.1:\(port)\(path)" }

  func get(_ path: String) -> TransportRequest { TransportRequest(.get, address(path)) }

  func post(_ path: String, _ body: TransportRequest.Body?) -> TransportRequest {
    TransportRequest(.post, address(path), body: body)
  }
}

/// Runs a server and a transport for a test.
///
/// Neither has an open connection afterwards.
func withTransport(
  _ configure: (inout CurlTransport.Settings) -> Void = { _ in },
  handler: @escaping HTTPServer.Handler,
  _ body: (TransportAndServer) async throws -> Void
) async throws {
  var configuration = HTTPServer.Configuration()
  configuration.onEvent = { _ in }
  let server = HTTPServer(configuration, handler: handler)
  let address = try await server.start()
  var settings = CurlTransport.Settings()
  settings.proxy = .none
  configure(&settings)
  let transport = CurlTransport(settings)
  do {
    try await body(TransportAndServer(transport: transport, server: server, port: address.port))
  } catch {
    await transport.shutdown()
    await server.shutdown(within: .zero)
    throw error
  }
  await transport.shutdown()
  #expect(await server.shutdown(within: .seconds(20)) == 0)
}

/// An event that occurs once and that tasks can await.
actor Signal {
  private var hasHappened = false
  private var waiters: [CheckedContinuation<Void, Never>] = []

  func happen() {
    hasHappened = true
    for waiter in waiters { waiter.resume() }
    waiters = []
  }

  func wait() async {
    guard !hasHappened else { return }
    await withCheckedContinuation { waiters.append($0) }
  }
}

/// Waits until the task is cancelled, and then throws.
func waitForCancellation() async throws {
  let (never, _) = AsyncStream<Void>.makeStream()
  for await _ in never {}
  try Task.checkCancellation()
}
