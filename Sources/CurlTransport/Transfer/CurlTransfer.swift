internal import CCurl
internal import CloudTransport

/// One request on its way, and its answer.
// Sendable: one task makes it; from the inbox on it is the loop's alone, which one thread at a time
// uses.
final class CurlTransfer: @unchecked Sendable {
  let request: TransportRequest
  let ticket: TransferHandle
  let settings: CurlTransport.Settings
  /// libcurl's handle, while it has the transfer.
  private(set) var handle: CurlHandle?
  private(set) var hasFinished = false

  private let body: RequestBody
  private let sink: any ResponseSink
  private var reader = HeadReader()
  /// What was found wrong within a call of libcurl, which only knows that the call failed.
  private var found: TransportError?
  private var isPaused = false
  private var timesBegun = 0
  private var bytesSent: Int64 = 0
  private let made: ContinuousClock.Instant
  /// When something had moved, as far as somebody has asked since.
  private var lastMove: ContinuousClock.Instant
  /// Something has moved since somebody asked: looking at the clock for each line of a head would
  /// take longer than reading it.
  private var hasMoved = false

  init(
    _ request: TransportRequest, body: RequestBody, sink: any ResponseSink, ticket: TransferHandle,
    settings: CurlTransport.Settings
  ) {
    self.request = request
    self.body = body
    self.sink = sink
    self.ticket = ticket
    self.settings = settings
    made = .now
    lastMove = made
  }

  // MARK: - Time

  /// When the request has taken too long.
  var wholeDeadline: ContinuousClock.Instant? { request.wholeLimit.map { made + $0 } }

  /// When nothing has moved for too long; a reader that takes its time is no fault of the server's.
  func idleDeadline(at now: ContinuousClock.Instant) -> ContinuousClock.Instant? {
    guard handle != nil, !isPaused else { return nil }
    if hasMoved { (lastMove, hasMoved) = (now, false) }
    return request.idleLimit.map { lastMove + $0 }
  }

  // MARK: - Beginning

  /// Whether it is like most requests: bytes in memory, which are posted.
  ///
  /// Each of these can have the handle of another.
  var isPlain: Bool {
    if case .bytes = body, request.method == .post { true } else { false }
  }

  /// Gets libcurl's handle for it.
  ///
  /// - Parameter spare: The handle of a plain transfer that is done, for another plain one; nil to
  ///   make a handle.
  func begin(_ spare: CurlHandle?) -> CurlHandle {
    let handle = spare ?? CurlHandle(settings)
    self.handle = handle
    moved()
    handle.describe(request, body: body)
    if spare == nil { handle.connectCalls() }
    handle.call(self)
    return handle
  }

  /// Whether the request may be sent now; libcurl asks each time.
  ///
  /// It would send a request again by itself where a connection that was kept has just ended.
  /// Whoever sent it has to decide that: the server may have taken it.
  func mayBeSent() -> Bool {
    timesBegun += 1
    guard timesBegun > 1, request.method != .get, mayHaveArrived else { return true }
    found = TransportError(
      .broken,
      "\(request.host): The connection broke before an answer came. Ask again, if that does no harm."
    )
    return false
  }

  // MARK: - Moving

  private func moved() { hasMoved = true }

  /// Says how much of the body has gone by now.
  func hasSent(_ count: Int64) {
    guard count != bytesSent else { return }
    moved()
    bytesSent = count
    request.progress?(count, body.count)
  }

  /// Takes a line of the head.
  func takeLine(_ line: Span<UInt8>) -> Bool {
    moved()
    guard reader.take(line), let head = reader.head else { return true }
    return attempt { () throws(TransportError) in try sink.begin(head) } != nil
  }

  /// Takes bytes of the body; nil where that failed, false where they have to wait.
  func take(_ bytes: UnsafeRawBufferPointer) -> Bool? {
    moved()
    let isTaken = attempt { () throws(TransportError) in unsafe try sink.take(bytes) }
    if isTaken == false { isPaused = true }
    return isTaken
  }

  /// Reads bytes of the file that is sent; nil where that failed.
  func read(into buffer: UnsafeMutableRawBufferPointer) -> Int? {
    moved()
    guard case .file(let file) = body else { return 0 }
    return attempt { () throws(TransportError) in unsafe try file.read(into: buffer) }
  }

  private func attempt<Result>(_ body: () throws(TransportError) -> Result) -> Result? {
    do {
      return try body()
    } catch {
      found = error
      return nil
    }
  }

  /// The reader has room again.
  func goOn() {
    guard isPaused else { return }
    isPaused = false
    moved()
    handle?.goOn()
  }

  // MARK: - Ending

  /// What came of it, as libcurl sees it.
  func outcome(_ code: CURLcode) -> Result<TransportResponse, TransportError> {
    if var found {
      found.mayHaveArrived = mayHaveArrived
      return .failure(found)
    }
    guard code != CURLE_OK else {
      guard let head = reader.head else {
        return fault(.broken, "The connection ended within the head of the answer. Ask again.")
      }
      return .success(head)
    }
    guard let handle else { return fault(.broken, "The transfer was not begun.") }
    let failure = CurlFailure(
      code: code, words: handle.words(for: code),
      systemError: CInt(clamping: handle.number(CURLINFO_OS_ERRNO)))
    return fault(failure.kind, "\(failure.words). \(failure.advice)")
  }

  /// A fault of this transfer.
  func fault(_ kind: TransportError.Kind, _ reason: String) -> Result<
    TransportResponse, TransportError
  > {
    .failure(
      TransportError(
        kind, "\(request.host): \(reason)", mayHaveArrived: mayHaveArrived))
  }

  /// Whether any of the request has gone.
  private var mayHaveArrived: Bool { handle.map { $0.number(CURLINFO_REQUEST_SIZE) > 0 } ?? false }

  /// Gives everything back, then tells who waits.
  ///
  /// libcurl has no more of it.
  func finish(_ result: Result<TransportResponse, TransportError>) {
    guard !hasFinished else { return }
    hasFinished = true
    handle = nil
    body.close()
    sink.finish(result)
  }
}
