import CloudTransport
import Synchronization

/// A device's way to the cloud, which tells of each request before it goes.
final class WatchedTransport: CloudTransport {
  private let base: any CloudTransport
  private let watcher = Mutex<(@Sendable (TransportRequest) async -> Void)?>(nil)

  private let downloads = Atomic(0)
  /// How many files were asked for.
  var downloadCount: Int { downloads.load(ordering: .relaxed) }

  private let held = Mutex<(part: String?, requests: [TransportRequest])>((nil, []))

  init(_ base: any CloudTransport) { self.base = base }

  /// Keeps back requests to addresses with a part, as a slow network does.
  ///
  /// Whoever asks gives up. Nil keeps back no more.
  func holdBack(_ part: String?) { held.withLock { $0.part = part } }

  /// Lets what was kept back arrive; nobody hears the answers.
  func deliver() async throws(TransportError) {
    let requests = held.withLock { held in
      defer { held.requests = [] }
      return held.requests
    }
    for request in requests { _ = try await base.send(request) }
  }

  private let gateways = Mutex<[(part: String, answer: TransportResponse)]>([])

  /// Lets the next request to an address with a part arrive, and answers it as a gateway does that
  /// has waited too long.
  ///
  /// - Parameter isPage: Whether it answers with a page for people; else with a document of its
  ///   own.
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

  /// Answers requests to addresses with a part in the server's place, which never sees them, until
  /// nil takes the answer's place.
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
    .broken, "The request is on its way for long.", mayHaveArrived: true)

  private func isHeldBack(_ request: TransportRequest) -> Bool {
    held.withLock { held in
      guard let part = held.part, request.address.contains(part) else { return false }
      held.requests.append(request)
      return true
    }
  }

  private let change = Mutex<(@Sendable (TransportResponse) -> TransportResponse)?>(nil)

  /// Changes the answers that come from now on, as a server does whose disk is damaged.
  func alter(_ change: (@Sendable (TransportResponse) -> TransportResponse)?) {
    self.change.withLock { $0 = change }
  }

  private func altered(_ answer: TransportResponse) -> TransportResponse {
    change.withLock(\.self)?(answer) ?? answer
  }

  /// Has a block called before each request, until another takes its place.
  func watch(_ watcher: (@Sendable (TransportRequest) async -> Void)?) {
    self.watcher.withLock { $0 = watcher }
  }

  private func tell(_ request: TransportRequest) async { await watcher.withLock(\.self)?(request) }

  private let listener = Mutex<(@Sendable (TransportRequest) async -> Void)?>(nil)

  /// Has a block called once, when the server has answered a request to an address with a part:
  /// before the device hears of it.
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

  /// The number of the request that is made now, from 1.
  func next() -> Int {
    count.withLock { count in
      count += 1
      return count
    }
  }
}
