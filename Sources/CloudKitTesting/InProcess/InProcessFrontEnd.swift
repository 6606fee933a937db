internal import CloudTransport
internal import HTTPServer
internal import Synchronization

/// Replaces the sockets: converts client requests to HTTP requests, and server responses back.
final class InProcessFrontEnd: Sendable {
  /// The chunk size of an uploaded file.
  private static let pieceBytes = 64 << 10

  private let address: String
  private let now: @Sendable () -> Int
  private let handler: HTTPServer.Handler
  private let requestCount = Atomic<UInt64>(0)

  init(address: String, now: @escaping @Sendable () -> Int, handler: @escaping HTTPServer.Handler) {
    self.address = address
    self.now = now
    self.handler = handler
  }

  // MARK: - Requests

  /// Converts a request to the form that the server receives.
  func request(_ request: TransportRequest) throws(TransportError) -> InProcessRequest {
    if let error = request.error { throw error }
    let target = try target(of: request)
    let body = try RequestBody(request.body)
    do {
      let head = try Self.head(request, target, host: request.host, length: body.count)
      let number = requestCount.wrappingAdd(1, ordering: .relaxed).newValue
      return InProcessRequest(
        request: HTTPRequest(
          head: head, id: HTTPRequestID(high: 0, low: number), remoteAddress: Self.remoteAddress,
          isSecure: address.hasPrefix("https:"), body: Self.body(body, request.progress)),
        body: body)
    } catch {
      body.close()
      throw TransportError(
        .address, "The request to \(request.host) is not valid HTTP: \(error.rawValue)")
    }
  }

  private static let remoteAddress: SocketAddress = {
    guard let address = SocketAddress("127.0.0.1", port: 1) else {
      preconditionFailure("127.0.0.1 was not parsed as an address.")
    }
    return address
  }()

  /// The request target: the path and query after the host.
  private func target(of request: TransportRequest) throws(TransportError) -> String {
    let rest = request.address.dropFirst(address.count)
    guard request.address.hasPrefix(address), rest.first.map({ "/?#".contains($0) }) ?? true else {
      throw TransportError(.offline, "\(request.host) is not in this process; only \(address) is.")
    }
    let target = rest.prefix { $0 != "#" }
    return target.first == "/" ? String(target) : "/\(target)"
  }

  private static func head(
    _ request: TransportRequest, _ target: String, host: String, length: Int64
  ) throws(HTTPParseError) -> HTTPRequestHead {
    var text = "\(request.method.rawValue) \(target) HTTP/1.1\r\nHost: \(host)\r\n"
    if request.body != nil || request.method != .get { text += "Content-Length: \(length)\r\n" }
    for (name, value) in request.headers { text += "\(name): \(value)\r\n" }
    let bytes = Array((text + "\r\n").utf8)
    var parser = HTTPHeadParser()
    guard let parsed = try parser.parse(bytes.span) else { throw .malformedRequestLine }
    return HTTPRequestHead(parsed, of: bytes.span)
  }

  private static func body(_ body: RequestBody, _ progress: TransportProgress?) -> HTTPRequestBody {
    switch body {
    case .none: return HTTPRequestBody()
    case .bytes(let bytes):
      progress?(Int64(bytes.count), Int64(bytes.count))
      return HTTPRequestBody(bytes)
    case .file(let file):
      let sent = Mutex<Int64>(0)
      return HTTPRequestBody(length: Int(file.count)) {
        let piece = try file.next(pieceBytes)
        let count = sent.withLock { sent in
          sent += Int64(piece.count)
          return sent
        }
        if !piece.isEmpty { progress?(count, file.count) }
        return piece.isEmpty ? nil : piece
      }
    }
  }

  // MARK: - Responses

  /// Passes a request to the server, and writes the body of the response to a sink.
  func perform(
    _ begun: InProcessRequest, into makeSink: (TransportResponse) throws -> any HTTPResponseSink
  ) async -> Result<TransportResponse, TransportError> {
    defer { begun.body.close() }
    do {
      try Task.checkCancellation()
      let response = try await handler(begun.request)
      let head = head(of: response, to: begun.request)
      try await Self.deliver(response, to: try makeSink(head))
      // A reader that stops reading cancels the task, so the body may be incomplete.
      try Task.checkCancellation()
      return .success(head)
    } catch {
      return .failure(Self.transportError(error))
    }
  }

  private func head(of response: HTTPResponse, to request: HTTPRequest) -> TransportResponse {
    var head = TransportResponse(status: response.status.rawValue, headers: response.headers.fields)
    head.headers.append(("Date", HTTPDate.text(secondsSince1970: now())))
    if let length = response.length { head.headers.append(("Content-Length", String(length))) }
    head.headers.append(("X-Request-ID", request.id.description))
    return head
  }

  private static func deliver(_ response: HTTPResponse, to sink: any HTTPResponseSink) async throws
  {
    guard !response.status.forbidsBody else { return }
    switch response.body {
    case .bytes(let bytes): if !bytes.isEmpty { try await sink.write(bytes) }
    case .file(let file): try await sink.write(file)
    case .parts(_, let write): try await write(HTTPResponseWriter(sink))
    }
  }

  private static func transportError(_ error: any Error) -> TransportError {
    switch error {
    case var error as TransportError:
      error.mayHaveArrived = true
      return error
    case _ where Task.isCancelled:
      return TransportError(.cancelled, "The task was cancelled.", mayHaveArrived: true)
    default:
      return TransportError(.broken, "The server did not answer: \(error)", mayHaveArrived: true)
    }
  }
}

/// A converted request, with the body to close at its end.
struct InProcessRequest: Sendable {
  let request: HTTPRequest
  let body: RequestBody
}

extension HTTPResponse {
  /// The length of the body, if it is known in advance.
  fileprivate var length: Int? {
    switch body {
    case .bytes(let bytes): status.forbidsBody ? nil : bytes.count
    case .file(let file): file.count
    case .parts(let length, _): length
    }
  }
}

extension UploadFile {
  /// Reads up to `limit` bytes; empty at the end of the file.
  fileprivate func next(_ limit: Int) throws(TransportError) -> [UInt8] {
    var bytes = [UInt8](repeating: 0, count: limit)
    var failure: TransportError?
    let count = unsafe bytes.withUnsafeMutableBytes { buffer in
      do throws(TransportError) {
        return unsafe try read(into: buffer)
      } catch {
        failure = error
        return 0
      }
    }
    if let failure { throw failure }
    return Array(bytes.prefix(count))
  }
}
