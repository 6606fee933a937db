internal import Synchronization

/// A server of HTTP/1.1 over plain TCP or TLS.
///
///     let server = HTTPServer { request in
///       HTTPResponse(text: "You asked for \(request.path)\n")
///     }
///     let address = try await server.start()
///     …
///     await server.shutdown(within: .seconds(30))
///
/// Handlers run as tasks on the server's loops, many on one thread. They may wait for as long as
/// they like, but not block: what blocks belongs onto a thread of its own. A handler whose client
/// goes away is cancelled.
///
///     ready ──start──▶ running ──shutdown──▶ stopped
package final class HTTPServer: Sendable {
  /// Answers a request.
  ///
  /// What it throws is answered for it: `HTTPFailure` and `HTTPParseError` with their status,
  /// anything else with 500.
  package typealias Handler = @Sendable (HTTPRequest) async throws -> HTTPResponse

  private enum State {
    case ready
    case running(RunningServer)
    case stopped
  }

  private let configuration: Configuration
  private let handler: Handler
  private let state = Mutex(State.ready)

  /// A server that does nothing yet.
  package init(_ configuration: Configuration = Configuration(), handler: @escaping Handler) {
    self.configuration = configuration
    self.handler = handler
  }

  /// Begins to serve, once.
  ///
  /// - Returns: The address that it listens at.
  @discardableResult
  package func start() async throws(HTTPServerError) -> SocketAddress {
    let running = try RunningServer(configuration, handler: handler)
    let isFirst = state.withLock { state in
      guard case .ready = state else { return false }
      state = .running(running)
      return true
    }
    guard isFirst else {
      throw HTTPServerError(.state, "An HTTPServer starts once. Make another one.")
    }
    try await running.start()
    return running.address
  }

  /// Stops accepting connections, finishes the requests that run, and ends.
  ///
  /// Handlers that wait for something should be told beforehand: they are requests that run.
  ///
  /// - Parameter limit: After this time the connections that are left are cut and their handlers
  ///   cancelled.
  /// - Returns: How many connections had to be cut.
  @discardableResult
  package func shutdown(within limit: Duration) async -> Int {
    let running = state.withLock { state -> RunningServer? in
      defer { state = .stopped }
      if case .running(let running) = state { return running } else { return nil }
    }
    return await running?.shutdown(within: limit) ?? 0
  }

  /// Reads the certificate and its key again, for the connections that come from now on.
  ///
  /// Sessions of TLS that clients keep stay valid. Where the files cannot be used, the former ones
  /// stay in use.
  package func reloadCertificate() throws(HTTPServerError) {
    try running?.reloadCertificate()
  }

  /// How many connections there are.
  package var connectionCount: Int { running?.connectionCount ?? 0 }

  private var running: RunningServer? {
    state.withLock { if case .running(let running) = $0 { running } else { nil } }
  }
}
