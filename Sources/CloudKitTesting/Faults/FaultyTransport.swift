package import CloudTransport
private import Foundation

/// A transport that injects the faults of a test network into another transport.
package final class FaultyTransport: CloudTransport {
  private let base: any CloudTransport
  private let network: TestNetwork
  private let clock: TestClock

  init(_ base: any CloudTransport, network: TestNetwork, clock: TestClock) {
    self.base = base
    self.network = network
    self.clock = clock
  }

  package func send(_ request: TransportRequest) async throws(TransportError) -> TransportResponse {
    let fault = network.next()
    if let answer = try await answer(to: request, with: fault) { return answer }
    if fault == .repeatedRequest { _ = try await base.send(request) }
    var answer = try await base.send(request)
    switch fault {
    case .lostResponse, .cutResponse: throw Self.broken
    case .damagedResponse: Self.damage(&answer.body)
    default: break
    }
    return answer
  }

  package func download(
    _ request: TransportRequest, to path: String, progress: @escaping TransportProgress
  ) async throws(TransportError) -> TransportResponse {
    let fault = network.next()
    if let answer = try await answer(to: request, with: fault) { return answer }
    if fault == .lostResponse {
      _ = try await base.send(request)
      throw Self.broken
    }
    let answer = try await base.download(request, to: path, progress: progress)
    switch fault {
    case .cutResponse(let count):
      try Self.cut(path, to: count)
      throw Self.broken
    case .damagedResponse: try Self.damage(path)
    default: break
    }
    return answer
  }

  package func open(_ request: TransportRequest) async throws(TransportError) -> TransportStream {
    let fault = network.next()
    if let answer = try await answer(to: request, with: fault) { return Self.stream(answer) }
    let stream = FaultyStream.breakable(try await base.open(request), on: network)
    switch fault {
    case .lostResponse: throw Self.broken
    case .cutResponse(let count): return FaultyStream.cut(stream, after: count)
    case .damagedResponse: return FaultyStream.damaged(stream)
    default: return stream
    }
  }

  // MARK: - Before the request arrives

  /// The response or error that replaces the server's response; nil if the request goes on.
  private func answer(
    to request: TransportRequest, with fault: TestNetwork.Fault?
  ) async throws(TransportError) -> TransportResponse? {
    switch fault {
    case .noNetwork: throw Self.offline
    case .lostRequest:
      throw TransportError(
        .broken, "The test has broken the connection before the request arrived.")
    case .wrongCertificate:
      throw TransportError(
        .untrusted, "The test has replaced the server by a host without its certificate.")
    case .delayedRequest(let duration):
      try await wait(duration)
      guard network.isOnline else { throw Self.offline }
    case .silence:
      try await wait(min(request.idleLimit ?? .longest, request.wholeLimit ?? .longest))
      throw TransportError(.timedOut, "The test sends no response.", mayHaveArrived: true)
    case .captivePortal: return Self.portal
    case .unavailable(let seconds): return Self.unavailable(seconds)
    case .lostResponse, .cutResponse, .damagedResponse, .repeatedRequest, nil: break
    }
    return nil
  }

  private func wait(_ duration: Duration) async throws(TransportError) {
    do throws(CancellationError) {
      try await clock.wait(for: duration, heldBy: network)
    } catch {
      throw TransportError(.cancelled, "The task was cancelled.")
    }
  }

  private static let offline = TransportError(
    .offline, "The test has disconnected the network.")

  private static let broken = TransportError(
    .broken, "The test has broken the connection before the response was complete.",
    mayHaveArrived: true)

  private static let portal = TransportResponse(
    status: 200, headers: [("Content-Type", "text/html; charset=utf-8")],
    body: Array("<!DOCTYPE html><title>Welcome to our network</title><form>Sign in</form>".utf8))

  private static func unavailable(_ seconds: Int?) -> TransportResponse {
    TransportResponse(
      status: 503, headers: seconds.map { [("Retry-After", String($0))] } ?? [],
      body: Array("Later.".utf8))
  }

  private static func stream(_ answer: TransportResponse) -> TransportStream {
    var head = answer
    head.body = []
    return TransportStream(
      head: head,
      pieces: AsyncThrowingStream { continuation in
        continuation.yield(answer.body)
        continuation.finish()
      })
  }

  // MARK: - After the response

  /// Changes the middle byte.
  static func damage(_ bytes: inout [UInt8]) {
    if !bytes.isEmpty { bytes[bytes.count / 2] ^= 0x5A }
  }

  private static func damage(_ path: String) throws(TransportError) {
    try change(path) { damage(&$0) }
  }

  private static func cut(_ path: String, to count: Int) throws(TransportError) {
    try change(path) { $0 = Array($0.prefix(max(0, count))) }
  }

  private static func change(_ path: String, _ body: (inout [UInt8]) -> Void) throws(TransportError)
  {
    do {
      var bytes = [UInt8](try Data(contentsOf: URL(fileURLWithPath: path)))
      body(&bytes)
      try Data(bytes).write(to: URL(fileURLWithPath: path))
    } catch {
      throw TransportError(.file, "The test cannot change the file \(path): \(error)")
    }
  }
}

extension Duration {
  /// Longer than any request waits.
  fileprivate static let longest = Duration.seconds(365 * 86_400)
}
