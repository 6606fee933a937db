internal import CHTTPSystem
internal import Glibc

/// A client's connection: the socket, the state machine, and the task of the handler.
///
/// The connection is an actor on its loop. The handler's task runs on the same loop, so threads
/// share nothing and a request needs no thread switch.
///
///     socket ──bytes──▶ machine ──begin──▶ handler's task
///        ▲                 ▲ │                 │ nextBodyPart, writePart, respond
///        │ output queue    │ └──── actions     │
///        └─────────────────┴───────────────────┘
actor HTTPConnection: EventObserver {
  nonisolated let loop: EventLoop
  nonisolated let socket: CInt
  nonisolated let remoteAddress: SocketAddress
  let service: HTTPService

  var transport: Transport
  var machine: HTTPConnectionMachine
  var output = OutputQueue()
  /// Pieces of the request's body that the handler has not read yet.
  var body = RequestBodyQueue()
  /// The memory that holds the request's body while the handler collects it.
  weak var bodyMemory: (any BudgetedMemory)?
  /// The number of the current request.
  ///
  /// Work that began with an earlier number is stale.
  var exchange = 0
  var requestID: HTTPRequestID?
  var task: Task<Void, Never>?
  var drainWaiters: [WriteWaiter] = []

  var isOpen = true
  var isHandshaking: Bool
  var isReading = true
  var peerHasClosed = false
  /// The events for which queued output waits.
  var outputWaits: Poller.Events = []
  /// The events for which the TLS handshake or reading through TLS waits.
  var inputWaits: Poller.Events = []
  var watched: Poller.Events = [.input, .peerClosed]
  var inputTimer: (timer: HTTPConnectionMachine.Timer, deadline: Int64)?
  var outputDeadline: Int64?
  var writtenOfPeriod = 0
  var scheduledDeadline: Int64?

  nonisolated var unownedExecutor: UnownedSerialExecutor { unsafe loop.asUnownedSerialExecutor() }

  init(
    socket: CInt, tls: TLSContext?, remoteAddress: SocketAddress, loop: EventLoop,
    service: HTTPService
  ) {
    self.socket = socket
    transport = tls.map { .secure(TLSSession($0, socket: socket)) } ?? .plain(socket)
    isHandshaking = tls != nil
    self.remoteAddress = remoteAddress
    self.loop = loop
    self.service = service
    machine = HTTPConnectionMachine(settings: service.machineSettings)
  }

  /// Starts to serve.
  func open() {
    do {
      try loop.watch(socket, watched, self)
    } catch {
      isOpen = false
      close(socket)
      service.connectionClosed(remoteAddress)
      return
    }
    if isHandshaking { inputTimer = (.head, loop.now &+ service.timeouts.nanoseconds(of: .head)) }
    perform(isHandshaking ? [] : machine.start())
    reschedule()
    if service.isDraining { drain() }
  }

  // MARK: - Events

  nonisolated func ready(_ events: Poller.Events) {
    assumeIsolated { $0.isReady(events) }
  }

  nonisolated func deadlineReached() {
    assumeIsolated { $0.reachDeadline() }
  }

  private func isReady(_ events: Poller.Events) {
    if events.contains(.error) {
      socketFailed()
    } else if isHandshaking {
      continueHandshake()
    } else {
      transfer(events)
    }
    settle()
  }

  private func transfer(_ events: Poller.Events) {
    if !outputWaits.isDisjoint(with: events) { flush() }
    guard isOpen else { return }
    if isReading, events.contains(.input) || !inputWaits.isDisjoint(with: events) {
      readInput()
    } else if events.contains(.hangUp) {
      socketFailed()
    } else if events.contains(.peerClosed), !peerHasClosed {
      peerHasClosed = true
      perform(machine.inputEnded())
    }
  }

  /// Ends the connection after the socket failed.
  func socketFailed() {
    perform(machine.lost())
  }

  /// Finishes the current request, and closes the connection because the server shuts down.
  func drain() {
    guard isOpen else { return }
    // The socket may already hold a request, which closing without a read would lose.
    if isReading, !isHandshaking, !machine.isBusy { readInput() }
    if isHandshaking { closeSocket(isAbort: false) }
    perform(machine.drain())
    settle()
  }

  /// Aborts the connection because the time limit of the shutdown has passed.
  func endNow() {
    socketFailed()
    settle()
  }

  // MARK: - Actions

  /// Performs the actions of the machine, then writes the queued output.
  func perform(_ actions: [HTTPConnectionMachine.Action]) {
    for action in actions { perform(action) }
    if isOpen, !output.isEmpty, outputWaits.isEmpty {
      flush()
    } else if output.isEmpty {
      finishFlush()
    }
  }

  private func perform(_ action: HTTPConnectionMachine.Action) {
    switch action {
    case .begin(let head, let start): begin(head, start)
    case .body(let bytes): body.append(bytes)
    case .endBody: body.finish(nil)
    case .failBody(let error): body.finish(error)
    case .cancelHandler: task?.cancel()
    case .refuse(let error):
      output.append(
        .bytes(service.rejectionResponse(.invalidRequest(error), of: remoteAddress, on: loop)))
    case .write(let bytes): output.append(.bytes(bytes))
    case .arm(let timer):
      inputTimer = timer.map { ($0, loop.now &+ service.timeouts.nanoseconds(of: $0)) }
    case .read(let reads):
      isReading = reads
      if reads, transport.mayHoldBytes { loop.repeatInput(socket) }
    case .finishOutput: transport.finishOutput()
    case .close: closeSocket(isAbort: false)
    case .abort: closeSocket(isAbort: true)
    }
  }

  /// Updates the events and the deadline for which the loop watches this connection.
  ///
  /// Every entry point of the connection ends with it.
  func settle() {
    guard isOpen else { return }
    var wanted: Poller.Events = outputWaits.union(inputWaits)
    if isReading || isHandshaking && wanted.isEmpty { wanted.insert(.input) }
    if !peerHasClosed { wanted.insert(.peerClosed) }
    if wanted != watched {
      watched = wanted
      loop.change(socket, wanted)
    }
    reschedule()
  }

  private func reschedule() {
    guard isOpen else { return }
    let deadline = [inputTimer?.deadline, outputDeadline].compactMap { $0 }.min()
    guard deadline != scheduledDeadline else { return }
    scheduledDeadline = deadline
    loop.setDeadline(socket, deadline)
  }

  private func reachDeadline() {
    scheduledDeadline = nil
    if let outputDeadline, outputDeadline <= loop.now { checkOutputRate() }
    if isOpen, let (timer, deadline) = inputTimer, deadline <= loop.now { fire(timer) }
    settle()
  }

  private func fire(_ timer: HTTPConnectionMachine.Timer) {
    inputTimer = nil
    if isHandshaking {
      closeSocket(isAbort: true)
    } else if timer == .idle, !output.isEmpty {
      // The client is still reading its last response.
      inputTimer = (.idle, loop.now &+ service.timeouts.nanoseconds(of: .idle))
    } else {
      perform(machine.timerFired(isMemoryShort: timer == .body && bodyMemory?.isShort == true))
    }
  }

  func closeSocket(isAbort: Bool) {
    guard isOpen else { return }
    isOpen = false
    loop.forget(socket)
    if case .secure(let session) = transport { session.close(isAbort: isAbort) }
    if isAbort {
      // Without lingering, the client gets a reset, and cannot mistake half a response for a whole
      // one.
      var linger = linger(l_onoff: 1, l_linger: 0)
      unsafe setsockopt(
        socket, SOL_SOCKET, SO_LINGER, &linger, socklen_t(MemoryLayout<Glibc.linger>.size))
    }
    output.removeAll()
    resumeDrainWaiters()
    // The connection is released first, because a client that sees the end may reconnect at once.
    service.connectionClosed(remoteAddress)
    close(socket)
  }
}
