internal import CHTTPSystem
internal import Glibc

/// A client's connection: the socket, the machine that decides, and the task of the handler.
///
/// It is an actor on its loop. The handler's task runs on the same loop, so that nothing here is
/// shared between threads, and a request costs no change of threads.
///
///     socket ──bytes──▶ machine ──begin──▶ handler's task
///        ▲                 ▲ │                 │ nextBodyPart, writePart, respond
///        │ output queue    │ └──── actions     │
///        └─────────────────┴───────────────────┘
actor HTTPConnection: Watcher {
  nonisolated let loop: EventLoop
  nonisolated let socket: CInt
  nonisolated let remoteAddress: SocketAddress
  let service: HTTPService

  var transport: Transport
  var machine: HTTPConnectionMachine
  var output = OutputQueue()
  /// Pieces of the request's body that the handler has not taken yet.
  var body = RequestBodyQueue()
  /// Counts requests, so that what belongs to an earlier one finds out.
  var exchange = 0
  var requestID: HTTPRequestID?
  var task: Task<Void, Never>?
  var drainWaiters: [WriteWaiter] = []

  var isOpen = true
  var isHandshaking: Bool
  var isReading = true
  var peerHasClosed = false
  /// What the socket must become ready for before writing, or reading through TLS, can go on.
  var outputWaits: Poller.Events = []
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

  /// Begins to serve.
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
      lose()
    } else if isHandshaking {
      shakeHands()
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
      lose()
    } else if events.contains(.peerClosed), !peerHasClosed {
      peerHasClosed = true
      perform(machine.inputEnded())
    }
  }

  /// The connection is dead.
  func lose() {
    perform(machine.lost())
  }

  /// The server shuts down.
  func drain() {
    guard isOpen else { return }
    // A request may lie in the socket already; who closes without looking loses it.
    if isReading, !isHandshaking, !machine.isBusy { readInput() }
    if isHandshaking { closeSocket(isAbort: false) }
    perform(machine.drain())
    settle()
  }

  /// The time for shutting down is over.
  func endNow() {
    lose()
    settle()
  }

  // MARK: - Actions

  /// Carries out what the machine decided, then writes what there is to write.
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
    case .failBody(let violation): body.finish(violation)
    case .cancelHandler: task?.cancel()
    case .refuse(let violation):
      output.append(.bytes(service.refusal(.violation(violation), of: remoteAddress, on: loop)))
    case .write(let bytes): output.append(.bytes(bytes))
    case .arm(let timer):
      inputTimer = timer.map { ($0, loop.now &+ service.timeouts.nanoseconds(of: $0)) }
    case .read(let reads):
      isReading = reads
      if reads, transport.mayHoldBytes { loop.tellInputAgain(socket) }
    case .finishOutput: transport.finishOutput()
    case .close: closeSocket(isAbort: false)
    case .abort: closeSocket(isAbort: true)
    }
  }

  /// Brings what the loop watches in line with what is wanted.
  ///
  /// Every entry into the connection ends with it.
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
      // The client still reads its last response.
      inputTimer = (.idle, loop.now &+ service.timeouts.nanoseconds(of: .idle))
    } else {
      perform(machine.timerFired())
    }
  }

  func closeSocket(isAbort: Bool) {
    guard isOpen else { return }
    isOpen = false
    loop.forget(socket)
    if case .secure(let session) = transport { session.close(isAbort: isAbort) }
    if isAbort {
      // No time to linger: the client gets a reset, and cannot take half a response for a whole
      // one.
      var linger = linger(l_onoff: 1, l_linger: 0)
      unsafe setsockopt(
        socket, SOL_SOCKET, SO_LINGER, &linger, socklen_t(MemoryLayout<Glibc.linger>.size))
    }
    output.removeAll()
    resumeDrainWaiters()
    // Forgotten before it is closed: a client that sees the end may come back at once.
    service.connectionClosed(remoteAddress)
    close(socket)
  }
}
