internal import Synchronization

/// An HTTP/1.1 server over plain TCP or TLS.
///
///     let server = HTTPServer { request in
///       HTTPResponse(text: "You asked for \(request.path)\n")
///     }
///     let address = try await server.start()
///     …
///     await server.shutdown(within: .seconds(30))
///
/// Handlers run as tasks on the server's loops, many on one thread. They may suspend for any time,
/// but must not block. Blocking work belongs on a separate thread. The server cancels a handler if
/// its client disconnects.
///
///     ready ──start──▶ running ──shutdown──▶ stopped
package final class HTTPServer: Sendable {
  /// Answers a request.
  ///
  /// The server answers errors that a handler throws: `HTTPFailure` and `HTTPParseError` with their
  /// status, all others with 500.
  package typealias Handler = @Sendable (HTTPRequest) async throws -> HTTPResponse

  private enum State {
    case ready
    case running(RunningServer)
    case stopped
  }

  private let configuration: Configuration
  private let handler: Handler
  private let state = Mutex(State.ready)

  /// Creates a server that is not started.
  package init(_ configuration: Configuration = Configuration(), handler: @escaping Handler) {
    self.configuration = configuration
    self.handler = handler
  }

  /// Starts the server.
  ///
  /// A server starts only once.
  ///
  /// - Returns: The address on which the server listens.
  @discardableResult
  package func start() async throws(HTTPServerError) -> SocketAddress {
    let running = try RunningServer(configuration, handler: handler)
    let isFirst = state.withLock { state in
      guard case .ready = state else { return false }
      state = .running(running)
      return true
    }
    guard isFirst else {
      throw HTTPServerError(.state, "An HTTPServer starts only once. Create another one.")
    }
    try await running.start()
    return running.address
  }

  /// Stops accepting connections, finishes the running requests, and stops the server.
  ///
  /// Handlers that wait for an event should be notified first, because they count as running
  /// requests.
  ///
  /// - Parameter limit: The time after which the server aborts the remaining connections and
  ///   cancels their handlers.
  /// - Returns: The number of aborted connections.
  @discardableResult
  package func shutdown(within limit: Duration) async -> Int {
    let running = state.withLock { state -> RunningServer? in
      defer { state = .stopped }
      if case .running(let running) = state { return running } else { return nil }
    }
    return await running?.shutdown(within: limit) ?? 0
  }

  /// Reads the certificate and its key again, for new connections.
  ///
  /// TLS sessions of clients stay valid. If the files cannot be used, the previous ones stay in
  /// use.
  package func reloadCertificate() throws(HTTPServerError) {
    try running?.reloadCertificate()
  }

  /// The number of open connections.
  package var connectionCount: Int { running?.connectionCount ?? 0 }

  private var running: RunningServer? {
    state.withLock { if case .running(let running) = $0 { running } else { nil } }
  }
}
