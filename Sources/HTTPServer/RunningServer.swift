/// The threads and sockets of a running server.
final class RunningServer: Sendable {
  let address: SocketAddress
  private let loops: [EventLoop]
  private let service: HTTPService
  private let tls: TLSIdentity?
  private let acceptor: Acceptor

  init(_ configuration: HTTPServer.Configuration, handler: @escaping HTTPServer.Handler)
    throws(HTTPServerError)
  {
    guard let wanted = SocketAddress(configuration.host, port: configuration.port) else {
      throw HTTPServerError(
        .address,
        "“\(configuration.host)” is not a numeric address. Listen on one such as 127.0.0.1, ::1, 0.0.0.0 or ::."
      )
    }
    tls = try configuration.security.identity()
    service = HTTPService(configuration, handler: handler)
    var loops: [EventLoop] = []
    for _ in 0..<max(1, configuration.loops) { loops.append(try EventLoop()) }
    self.loops = loops
    let listener = try ListeningSocket(wanted)
    address = listener.address
    acceptor = Acceptor(listener, loops: loops, service: service, tls: tls)
  }

  var connectionCount: Int { service.connectionCount }

  func reloadCertificate() throws(HTTPServerError) { try tls?.reload() }

  func start() async throws(HTTPServerError) {
    for loop in loops { try LoopThread.start { loop.run() } }
    do {
      try await acceptor.start()
    } catch {
      throw error as? HTTPServerError
        ?? HTTPServerError(.system, "The server cannot listen: \(error)")
    }
  }

  func shutdown(within limit: Duration) async -> Int {
    service.beginDraining()
    await acceptor.stop()
    await onEachConnection { $0.drain() }
    let timer = LoopTimer(on: loops[0])
    let cut = AbortedConnections()
    await timer.start(limit) { [self] in
      await cut.count(service.connectionCount)
      await onEachConnection { $0.endNow() }
    }
    await service.waitUntilAllAreClosed()
    await timer.stop()
    for loop in loops { loop.stop() }
    return await cut.total
  }

  /// Calls a closure with each connection, on its loop.
  private func onEachConnection(_ body: @escaping @Sendable (isolated HTTPConnection) -> Void) async
  {
    for loop in loops {
      await Task(executorPreference: loop) {
        for case let connection as HTTPConnection in loop.observers { await body(connection) }
      }.value
    }
  }
}

/// Counts the connections that a shutdown aborted.
private actor AbortedConnections {
  private(set) var total = 0

  func count(_ connections: Int) { total += connections }
}
