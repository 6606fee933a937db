import CloudKitTesting
import CloudTransport

/// Carries the requests of a device to the server in the same process, through its network.
final class SimulatedTransport: CloudTransport {
  private let base: any CloudTransport
  private let plainNetwork: TestNetwork
  private let network: SimulatedNetwork
  private let server: SimulatedServer

  init(_ device: TestDevice, network: SimulatedNetwork, server: SimulatedServer) {
    base = device.transport
    plainNetwork = device.network
    (self.network, self.server) = (network, server)
  }

  func send(_ request: TransportRequest) async throws(TransportFault) -> TransportResponse {
    let fault = try network.next()
    _ = try await server.startAgain()
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
    // A server that has crashed answers nothing; the next request meets another one.
    if try await server.startAgain() { throw SimulatedNetwork.lost }
    network.noteAnswer()
    return answer
  }

  func download(
    _ request: TransportRequest, to path: String, progress: @escaping TransportProgress
  ) async throws(TransportFault) -> TransportResponse {
    try begin()
    let answer = try await base.download(request, to: path, progress: progress)
    network.noteAnswer()
    return answer
  }

  func open(_ request: TransportRequest) async throws(TransportFault) -> TransportStream {
    try begin()
    return try await base.open(request)
  }

  private func begin() throws(TransportFault) {
    let fault = try network.next()
    if case .crash(_, let losesPower)? = fault {
      network.crash(losesPower: losesPower)
      throw SimulatedNetwork.crashed
    }
    prepare(fault)
  }

  /// Lets the network below do what it can do by itself.
  private func prepare(_ fault: SimulatedNetwork.Fault?) {
    if case .plain(let plain)? = fault { plainNetwork.inject(plain) }
  }

  /// What the server says where it takes no request now, or the account has no room; nil where it may answer.
  private func refusal(of request: TransportRequest, _ fault: SimulatedNetwork.Fault?) -> TransportResponse? {
    if case .throttled? = fault {
      return answer(429, #"{"uuid": "0", "serverErrorCode": "THROTTLED", "reason": "Too many.", "retryAfter": 60}"#)
    }
    var isFull = network.hasNoRoom
    if case .quota? = fault { isFull = true }
    guard isFull, request.address.contains("/records/modify") else { return nil }
    return answer(
      413, #"{"uuid": "0", "serverErrorCode": "QUOTA_EXCEEDED", "reason": "The account has no room."}"#)
  }

  private func answer(_ status: Int, _ text: String) -> TransportResponse {
    network.noteAnswer()
    return TransportResponse(
      status: status, headers: [("Content-Type", "application/json; charset=UTF-8")], body: Array(text.utf8))
  }
}
