internal import CCurl
internal import CloudTransport

/// A request in progress, and its response.
// Sendable: one task creates it. Once it is in the inbox, only the loop uses it, on one thread at a
// time.
final class CurlTransfer: @unchecked Sendable {
  let request: TransportRequest
  let ticket: TransferHandle
  let settings: CurlTransport.Settings
  /// libcurl's handle, while the transfer is active.
  private(set) var handle: CurlHandle?
  private(set) var hasFinished = false

  private let body: RequestBody
  private let sink: any ResponseSink
  private var reader = HeadReader()
  /// An error that occurred inside a callback.
  ///
  /// libcurl only knows that the callback failed.
  private var found: TransportError?
  private var isPaused = false
  private var timesBegun = 0
  private var bytesSent: Int64 = 0
  private let created: ContinuousClock.Instant
  /// The time of the last progress, as of the last check.
  private var lastMove: ContinuousClock.Instant
  /// Whether there was progress since the last check.
  ///
  /// Reading the clock for each header line would cost more than parsing it.
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
    created = .now
    lastMove = created
  }

  // MARK: - Time

  /// The time at which the request has taken too long.
  var wholeDeadline: ContinuousClock.Instant? { request.wholeLimit.map { created + $0 } }

  /// The time at which the transfer has been idle for too long.
  ///
  /// Waiting for a slow reader does not count.
  func idleDeadline(at now: ContinuousClock.Instant) -> ContinuousClock.Instant? {
    guard handle != nil, !isPaused else { return nil }
    if hasMoved { (lastMove, hasMoved) = (now, false) }
    return request.idleLimit.map { lastMove + $0 }
  }

  // MARK: - Beginning

  /// Whether the request is a post of bytes in memory, as most are.
  ///
  /// Such requests reuse handles.
  var isPlain: Bool {
    if case .bytes = body, request.method == .post { true } else { false }
  }

  /// Prepares libcurl's handle for the request.
  ///
  /// - Parameter spare: The handle of a completed plain transfer, or nil to create one.
  func begin(_ spare: CurlHandle?) -> CurlHandle {
    let handle = spare ?? CurlHandle(settings)
    self.handle = handle
    moved()
    handle.setOptions(for: request, body: body)
    if spare == nil { handle.connectCalls() }
    handle.call(self)
    return handle
  }

  /// Whether libcurl may send the request now.
  ///
  /// libcurl asks before each attempt. It would retry by itself if a reused connection has just
  /// closed. The caller must decide on a retry, because the server may have processed the request.
  func mayBeSent() -> Bool {
    timesBegun += 1
    guard timesBegun > 1, request.method != .get, mayHaveArrived else { return true }
    found = TransportError(
      .broken,
      "\(request.host): The connection broke before an answer arrived. Retry if that is safe."
    )
    return false
  }

  // MARK: - Moving

  private func moved() { hasMoved = true }

  /// Records how much of the body was sent.
  func hasSent(_ count: Int64) {
    guard count != bytesSent else { return }
    moved()
    bytesSent = count
    request.progress?(count, body.count)
  }

  /// Parses a line of the head, and returns false on failure.
  func takeLine(_ line: Span<UInt8>) -> Bool {
    moved()
    guard reader.take(line), let head = reader.head else { return true }
    return attempt { () throws(TransportError) in try sink.begin(head) } != nil
  }

  /// Receives bytes of the body.
  ///
  /// Returns nil on failure, and false if they must wait.
  func take(_ bytes: UnsafeRawBufferPointer) -> Bool? {
    moved()
    let isTaken = attempt { () throws(TransportError) in unsafe try sink.take(bytes) }
    if isTaken == false { isPaused = true }
    return isTaken
  }

  /// Reads bytes of the file that is sent, or returns nil on failure.
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

  /// Resumes the transfer after its reader made room.
  func resume() {
    guard isPaused else { return }
    isPaused = false
    moved()
    handle?.resume()
  }

  // MARK: - Ending

  /// Returns the result of the transfer from libcurl's code.
  func outcome(_ code: CURLcode) -> Result<TransportResponse, TransportError> {
    if var found {
      found.mayHaveArrived = mayHaveArrived
      return .failure(found)
    }
    guard code != CURLE_OK else {
      guard let head = reader.head else {
        return failed(.broken, "The connection ended within the head of the answer. Try again.")
      }
      return .success(head)
    }
    guard let handle else { return failed(.broken, "The transfer was not begun.") }
    let failure = CurlFailure(
      code: code, message: handle.message(for: code),
      systemError: CInt(clamping: handle.number(CURLINFO_OS_ERRNO)))
    return failed(failure.kind, "\(failure.message). \(failure.advice)")
  }

  /// Returns the result of this transfer with an error.
  func failed(_ kind: TransportError.Kind, _ reason: String) -> Result<
    TransportResponse, TransportError
  > {
    .failure(
      TransportError(
        kind, "\(request.host): \(reason)", mayHaveArrived: mayHaveArrived))
  }

  /// Whether any part of the request was sent.
  private var mayHaveArrived: Bool { handle.map { $0.number(CURLINFO_REQUEST_SIZE) > 0 } ?? false }

  /// Releases all resources, then resumes the waiting task.
  ///
  /// The caller has removed the handle from libcurl.
  func finish(_ result: Result<TransportResponse, TransportError>) {
    guard !hasFinished else { return }
    hasFinished = true
    handle = nil
    body.close()
    sink.finish(result)
  }
}
