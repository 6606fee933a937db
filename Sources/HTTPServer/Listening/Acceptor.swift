internal import CHTTPSystem
internal import Glibc

/// Accepts connections on the first loop, and distributes them to all loops in turn.
actor Acceptor: EventObserver {
  private nonisolated let loop: EventLoop
  private let loops: [EventLoop]
  private let service: HTTPService
  private let tls: TLSIdentity?
  private var listener: ListeningSocket?
  private var reserve = ReserveDescriptor()
  private var next = 0

  nonisolated var unownedExecutor: UnownedSerialExecutor { unsafe loop.asUnownedSerialExecutor() }

  init(
    _ listener: consuming ListeningSocket, loops: [EventLoop], service: HTTPService,
    tls: TLSIdentity?
  ) {
    loop = loops[0]
    self.listener = consume listener
    self.loops = loops
    self.service = service
    self.tls = tls
  }

  /// Starts to accept connections.
  func start() throws {
    guard let descriptor = listener?.descriptor else { return }
    try loop.watch(descriptor, .input, self)
  }

  /// Accepts the connections that already wait, then stops.
  func stop() {
    guard let descriptor = listener?.descriptor else { return }
    while acceptOne() {}
    loop.forget(descriptor)
    listener = nil
  }

  nonisolated func ready(_ events: Poller.Events) {
    assumeIsolated { $0.acceptSome() }
  }

  nonisolated func deadlineReached() {}

  private func acceptSome() {
    for _ in 0..<Limits.acceptedPerTurn {
      guard acceptOne() else { return }
    }
  }

  /// Accepts a connection.
  ///
  /// Returns false if no connection waits, or if none can be accepted now.
  private func acceptOne() -> Bool {
    switch listener?.accept() ?? .nothing {
    case .connection(let socket, let address):
      take(socket, address)
      return true
    case .vanished: return true
    case .nothing: return false
    case .outOfDescriptors:
      service.report(.outOfDescriptors)
      return closeWaitingConnection()
    }
  }

  /// Uses the reserve descriptor to accept and close one waiting connection.
  ///
  /// Returns false if that failed, too.
  private func closeWaitingConnection() -> Bool {
    var hasHelped = false
    reserve.withDescriptorFree {
      guard case .connection(let socket, _)? = listener?.accept() else { return }
      close(socket)
      hasHelped = true
    }
    return hasHelped
  }

  private func take(_ socket: CInt, _ address: SocketAddress) {
    guard service.admit(address) else {
      refuse(socket, address)
      return
    }
    let chosen = loops[next % loops.count]
    next += 1
    let connection = HTTPConnection(
      socket: socket, tls: tls?.context, remoteAddress: address, loop: chosen, service: service)
    if chosen === loop {
      connection.assumeIsolated { $0.open() }
    } else {
      Task(executorPreference: chosen) { await connection.open() }
    }
  }

  /// Sends the reason if that is possible without a handshake, and closes the socket.
  private func refuse(_ socket: CInt, _ address: SocketAddress) {
    let bytes = service.rejectionResponse(.tooManyConnections, of: address, on: loop)
    if tls == nil {
      _ = unsafe send(socket, bytes, bytes.count, CInt(MSG_NOSIGNAL))
      shutdown(socket, CInt(SHUT_WR))
      // Received bytes are read first. Closing with unread bytes would cause a reset, which
      // destroys the answer on its way.
      for _ in 0..<Limits.readsPerTurn {
        guard
          unsafe recv(
            socket, loop.readBuffer.baseAddress, loop.readBuffer.count, CInt(MSG_DONTWAIT)) > 0
        else {
          break
        }
      }
    }
    close(socket)
  }
}
