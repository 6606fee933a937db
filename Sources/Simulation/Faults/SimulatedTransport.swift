package import CloudKitTesting
package import CloudTransport

/// Sends a device's requests through its network to the server in the same process.
package final class SimulatedTransport: CloudTransport {
  private let base: any CloudTransport
  private let plainNetwork: TestNetwork
  private let network: SimulatedNetwork
  private let server: SimulatedServer

  package init(_ device: TestDevice, network: SimulatedNetwork, server: SimulatedServer) {
    base = device.transport
    plainNetwork = device.network
    (self.network, self.server) = (network, server)
  }

  package func send(_ request: TransportRequest) async throws(TransportError) -> TransportResponse {
    let operation = SimulatedOperation(request)
    let fault = try network.next(operation)
    _ = try await server.restart()
    if let answer = refusal(of: request, fault) { return answer }
    if case .late? = fault {
      network.keep(SimulatedNetwork.LateRequest(request: request, transport: base))
      throw SimulatedNetwork.lost
    }
    if case .crash(let arrives, let losesPower)? = fault {
      network.crash(losesPower: losesPower)
      if arrives { _ = try await base.send(request) }
      throw SimulatedNetwork.crashed
    }
    prepare(fault)
    let answer = try await base.send(request)
    // A crashed server sends no response; the next request reaches the restarted one.
    if try await server.restart() {
      network.count(.serverCrash, at: operation)
      throw SimulatedNetwork.lost
    }
    network.countResponse()
    network.receive(answer.body)
    return answer
  }

  package func download(
    _ request: TransportRequest, to path: String, progress: @escaping TransportProgress
  ) async throws(TransportError) -> TransportResponse {
    if let answer = try await begin(.download) { return answer }
    let answer = try await base.download(request, to: path, progress: progress)
    network.countResponse()
    return answer
  }

  package func open(_ request: TransportRequest) async throws(TransportError) -> TransportStream {
    if let answer = try await begin(SimulatedOperation(request)) {
      let pieces = AsyncThrowingStream<[UInt8], any Error> { continuation in
        continuation.yield(answer.body)
        continuation.finish()
      }
      return TransportStream(head: answer, pieces: pieces)
    }
    return try await base.open(request)
  }

  /// Applies the fault of a request that changes nothing.
  ///
  /// For such a request, a delay equals a loss, and an exhausted quota has no effect.
  ///
  /// - Returns: The response that replaces the server's; nil if the request is to be sent.
  private func begin(
    _ operation: SimulatedOperation?
  ) async throws(TransportError) -> TransportResponse? {
    let fault = try network.next(operation)
    _ = try await server.restart()
    switch fault {
    case .crash(_, let losesPower)?:
      network.crash(losesPower: losesPower)
      throw SimulatedNetwork.crashed
    case .late?: throw SimulatedNetwork.lost
    case .throttled?: return Self.throttled()
    case .plain?, .quota?, nil:
      prepare(fault)
      return nil
    }
  }

  /// Passes a fault to the test network, if that implements it.
  private func prepare(_ fault: SimulatedNetwork.Fault?) {
    if case .plain(let plain)? = fault { plainNetwork.inject(plain) }
  }

  /// The server's rejection if it is throttling or the quota is exhausted; nil if the request may
  /// pass.
  private func refusal(of request: TransportRequest, _ fault: SimulatedNetwork.Fault?)
    -> TransportResponse?
  {
    if case .throttled? = fault {
      network.countResponse()
      return Self.throttled()
    }
    var isFull = network.hasNoRoom
    if case .quota? = fault { isFull = true }
    guard isFull, Self.needsRoom(request) else { return nil }
    network.countResponse()
    return Self.answer(
      413,
      #"{"uuid": "0", "serverErrorCode": "QUOTA_EXCEEDED", "reason": "The account's quota is exhausted."}"#
    )
  }

  /// Whether a request uploads records or a record's file.
  private static func needsRoom(_ request: TransportRequest) -> Bool {
    request.address.contains("/records/modify") || isUpload(request)
  }

  private static func isUpload(_ request: TransportRequest) -> Bool {
    if case .file? = request.body { true } else { false }
  }

  private static func throttled() -> TransportResponse {
    var answer = answer(
      429,
      #"{"uuid": "0", "serverErrorCode": "THROTTLED", "reason": "Too many requests.", "retryAfter": 60}"#
    )
    answer.headers.append(("Retry-After", "60"))
    return answer
  }

  private static func answer(_ status: Int, _ text: String) -> TransportResponse {
    TransportResponse(
      status: status, headers: [("Content-Type", "application/json; charset=UTF-8")],
      body: Array(text.utf8))
  }
}
