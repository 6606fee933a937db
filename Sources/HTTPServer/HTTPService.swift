internal import Synchronization

/// The state that all connections of a server share.
final class HTTPService: Sendable {
  let handler: HTTPServer.Handler
  let timeouts: HTTPTimeouts
  let machineSettings: HTTPConnectionMachine.Settings
  private let answerRejection: @Sendable (HTTPRejection) -> HTTPRejection.Answer
  private let onEvent: @Sendable (HTTPServerEvent) -> Void
  private let state: Mutex<State>
  private let draining = Atomic<Bool>(false)

  private struct State {
    var counter: ConnectionCounter
    var waitersForNone: [CheckedContinuation<Void, Never>] = []
  }

  init(_ configuration: HTTPServer.Configuration, handler: @escaping HTTPServer.Handler) {
    self.handler = handler
    timeouts = configuration.timeouts
    answerRejection = configuration.answerRejection
    onEvent = configuration.onEvent
    var settings = HTTPConnectionMachine.Settings()
    settings.maximumBodyBytes = configuration.maximumBodyBytes
    settings.minimalBodyBytesPerPeriod = configuration.timeouts.minimalBytesPerPeriod
    settings.minimalBodyBytesInShortage = configuration.timeouts.minimalBytesPerPeriodInShortage
    machineSettings = settings
    state = Mutex(
      State(
        counter: ConnectionCounter(
          maximum: configuration.maximumConnections,
          maximumPerNetwork: configuration.maximumConnectionsPerAddress)))
  }

  func report(_ event: HTTPServerEvent) { onEvent(event) }

  /// Returns the response to a rejected client, and reports the rejection.
  ///
  /// The response has its own request identifier.
  func rejectionResponse(
    _ reason: HTTPRejection.Reason, of address: SocketAddress, on loop: EventLoop
  )
    -> [UInt8]
  {
    let rejection = HTTPRejection(reason, id: loop.takeRequestID())
    report(.rejected(rejection, address))
    return rejection.bytes(answerRejection(rejection), dateLine: loop.stamp(nil).dateLine)
  }

  var isDraining: Bool { draining.load(ordering: .relaxed) }
  func beginDraining() { draining.store(true, ordering: .relaxed) }

  // MARK: - Connections

  var connectionCount: Int { state.withLock { $0.counter.total } }

  func admit(_ address: SocketAddress) -> Bool { state.withLock { $0.counter.admit(address) } }

  func connectionClosed(_ address: SocketAddress) {
    let waiters = state.withLock { state in
      state.counter.release(address)
      guard state.counter.total == 0 else { return [CheckedContinuation<Void, Never>]() }
      defer { state.waitersForNone = [] }
      return state.waitersForNone
    }
    for waiter in waiters { waiter.resume() }
  }

  /// Waits until all connections are closed.
  func waitUntilAllAreClosed() async {
    await withCheckedContinuation { continuation in
      let isDone = state.withLock { state in
        if state.counter.total > 0 { state.waitersForNone.append(continuation) }
        return state.counter.total == 0
      }
      if isDone { continuation.resume() }
    }
  }
}
