internal import Synchronization

/// The state that all connections of a server share.
final class HTTPService: Sendable {
  let handler: HTTPServer.Handler
  let timeouts: HTTPTimeouts
  let machineSettings: HTTPConnectionMachine.Settings
  private let answerRefusal: @Sendable (HTTPRejection) -> HTTPRejection.Answer
  private let onEvent: @Sendable (HTTPServerEvent) -> Void
  private let state: Mutex<State>
  private let draining = Atomic<Bool>(false)

  private struct State {
    var ledger: ConnectionLedger
    var waitersForNone: [CheckedContinuation<Void, Never>] = []
  }

  init(_ configuration: HTTPServer.Configuration, handler: @escaping HTTPServer.Handler) {
    self.handler = handler
    timeouts = configuration.timeouts
    answerRefusal = configuration.answerRefusal
    onEvent = configuration.onEvent
    var settings = HTTPConnectionMachine.Settings()
    settings.maximumBodyBytes = configuration.maximumBodyBytes
    settings.minimalBodyBytesPerPeriod = configuration.timeouts.minimalBytesPerPeriod
    machineSettings = settings
    state = Mutex(
      State(
        ledger: ConnectionLedger(
          maximum: configuration.maximumConnections,
          maximumPerNetwork: configuration.maximumConnectionsPerAddress)))
  }

  func report(_ event: HTTPServerEvent) { onEvent(event) }

  /// Returns the response for a client that is rejected on a loop, and reports the rejection.
  ///
  /// The response has its own request identifier.
  func refusal(_ reason: HTTPRejection.Reason, of address: SocketAddress, on loop: EventLoop)
    -> [UInt8]
  {
    let refusal = HTTPRejection(reason, id: loop.takeRequestID())
    report(.refused(refusal, address))
    return refusal.bytes(answerRefusal(refusal), dateLine: loop.stamp(nil).dateLine)
  }

  var isDraining: Bool { draining.load(ordering: .relaxed) }
  func beginDraining() { draining.store(true, ordering: .relaxed) }

  // MARK: - Connections

  var connectionCount: Int { state.withLock { $0.ledger.total } }

  func admit(_ address: SocketAddress) -> Bool { state.withLock { $0.ledger.admit(address) } }

  func connectionClosed(_ address: SocketAddress) {
    let waiters = state.withLock { state in
      state.ledger.release(address)
      guard state.ledger.total == 0 else { return [CheckedContinuation<Void, Never>]() }
      defer { state.waitersForNone = [] }
      return state.waitersForNone
    }
    for waiter in waiters { waiter.resume() }
  }

  /// Waits until all connections are closed.
  func waitUntilAllAreClosed() async {
    await withCheckedContinuation { continuation in
      let isDone = state.withLock { state in
        if state.ledger.total > 0 { state.waitersForNone.append(continuation) }
        return state.ledger.total == 0
      }
      if isDone { continuation.resume() }
    }
  }
}
