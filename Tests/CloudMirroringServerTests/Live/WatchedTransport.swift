import CloudTransport
import Synchronization

/// A device's connection to the cloud, which reports each request before it is sent.
final class WatchedTransport: CloudTransport {
  private let base: any CloudTransport
  private let observer = Mutex<(@Sendable (TransportRequest) async -> Void)?>(nil)

  private let downloads = Atomic(0)
  /// The number of downloaded files.
  var downloadCount: Int { downloads.load(ordering: .relaxed) }

  private let held = Mutex<(part: String?, requests: [TransportRequest])>((nil, []))

  init(_ base: any CloudTransport) { self.base = base }

  /// Delays requests to addresses that contain a text, like a slow network.
  ///
  /// The sender times out. Nil ends the delay.
  func holdBack(_ part: String?) { held.withLock { $0.part = part } }

  /// Delivers the delayed requests; their answers are lost.
  func deliver() async throws(TransportError) {
    let requests = held.withLock { held in
      defer { held.requests = [] }
      return held.requests
    }
    for request in requests { _ = try await base.send(request) }
  }

  private let gateways = Mutex<[(part: String, answer: TransportResponse)]>([])

  /// Delivers the next request to an address that contains a text, and answers it like a gateway
  /// that timed out.
  ///
  /// - Parameter isPage: Whether the answer is a web page; otherwise it is the gateway's document.
  func answerAsGateway(_ part: String, _ status: Int, isPage: Bool) {
    let answer = TransportResponse(
      status: status, headers: [("Content-Type", isPage ? "text/html" : "application/json")],
      body: Array((isPage ? "<h1>Time-out</h1>" : #"{"message": "Time-out"}"#).utf8))
    gateways.withLock { $0.append((part, answer)) }
  }

  private func gatewayAnswer(_ request: TransportRequest) -> TransportResponse? {
    gateways.withLock { gateways in
      guard let place = gateways.firstIndex(where: { request.address.contains($0.part) }) else {
        return nil
      }
      return gateways.remove(at: place).answer
    }
  }

  private let refusal = Mutex<(part: String, answer: TransportResponse)?>(nil)

  /// Answers requests to addresses that contain a text instead of the server, until it is set to
  /// nil.
  func refuse(_ part: String, _ answer: TransportResponse?) {
    refusal.withLock { $0 = answer.map { (part, $0) } }
  }

  private func refused(_ request: TransportRequest) -> TransportResponse? {
    refusal.withLock { refusal in
      guard let refusal, request.address.contains(refusal.part) else { return nil }
      return refusal.answer
    }
  }

  private static let isLate = TransportError(
    .broken, "The request is delayed.", mayHaveArrived: true)

  private func isHeldBack(_ request: TransportRequest) -> Bool {
    held.withLock { held in
      guard let part = held.part, request.address.contains(part) else { return false }
      held.requests.append(request)
      return true
    }
  }

  private let change = Mutex<(@Sendable (TransportResponse) -> TransportResponse)?>(nil)

  /// Changes all later answers, like a server with a damaged disk.
  func alter(_ change: (@Sendable (TransportResponse) -> TransportResponse)?) {
    self.change.withLock { $0 = change }
  }

  private func altered(_ answer: TransportResponse) -> TransportResponse {
    change.withLock(\.self)?(answer) ?? answer
  }

  /// Sets the block that is called before each request.
  func watch(_ observer: (@Sendable (TransportRequest) async -> Void)?) {
    self.observer.withLock { $0 = observer }
  }

  private func tell(_ request: TransportRequest) async { await observer.withLock(\.self)?(request) }

  private let listener = Mutex<(@Sendable (TransportRequest) async -> Void)?>(nil)

  /// Calls a block once, after the server answered a request to an address that contains a text and
  /// before the device gets the answer.
  func whenAnswered(_ part: String, _ body: @escaping @Sendable () async -> Void) {
    listener.withLock {
      $0 = { [weak self] request in
        guard request.address.contains(part), self?.listener.withLock({ $0.take() }) != nil else {
          return
        }
        await body()
      }
    }
  }

  func send(_ request: TransportRequest) async throws(TransportError) -> TransportResponse {
    if isHeldBack(request) { throw Self.isLate }
    await tell(request)
    if let answer = refused(request) { return answer }
    let answer = try await base.send(request)
    await listener.withLock(\.self)?(request)
    return gatewayAnswer(request) ?? altered(answer)
  }

  func download(
    _ request: TransportRequest, to path: String, progress: @escaping TransportProgress
  ) async throws(TransportError) -> TransportResponse {
    downloads.add(1, ordering: .relaxed)
    await tell(request)
    return try await base.download(request, to: path, progress: progress)
  }

  func open(_ request: TransportRequest) async throws(TransportError) -> TransportStream {
    if isHeldBack(request) { throw Self.isLate }
    return try await base.open(request)
  }
}

/// Counts requests.
final class Requests: Sendable {
  private let count = Mutex(0)

  /// The number of the current request, from 1.
  func next() -> Int {
    count.withLock { count in
      count += 1
      return count
    }
  }
}
