import CloudRecords
import CloudWire
import HTTPServer
import RecordServer

/// What a request is answered with, and what log and metrics are told of it.
struct Answer: Sendable {
  var response: HTTPResponse
  /// Who asked, where that was proven.
  var caller: Caller?
  /// The error that the response tells.
  var error: CloudError?

  init(_ response: HTTPResponse, caller: Caller? = nil, error: CloudError? = nil) {
    self.response = response
    self.caller = caller
    self.error = error
  }

  /// An answer of JSON that is written already.
  init(json: String, status: HTTPStatus = .ok) {
    self.init(HTTPResponse(status, headers: Self.headers, body: .bytes(Array(json.utf8))))
  }

  /// An answer of the protocol.
  init(_ message: any WireResponse, status: HTTPStatus = .ok, caller: Caller? = nil) {
    self.init(
      HTTPResponse(status, headers: Self.headers, body: .bytes(message.bytes)), caller: caller)
  }

  /// Answers are for who asked, and are what they say they are.
  static let headers: HTTPHeaders = [
    "Content-Type": "application/json; charset=utf-8", "Cache-Control": "no-store",
    "X-Content-Type-Options": "nosniff",
  ]

  /// The length of the response's body, where it is known before it is sent.
  var bodyBytes: Int {
    switch response.body {
    case .bytes(let bytes): bytes.count
    case .file(let file): file.count
    case .parts(let length, _): length ?? 0
    }
  }
}

extension RecordService {
  /// The answer that tells an error.
  ///
  /// - Parameter status: Where HTTP has a status that says more than that of the error's code.
  func refusal(_ error: CloudError, status: HTTPStatus? = nil, of request: HTTPRequest) -> Answer {
    var error = error
    if let path = error.redirectURL, path.hasPrefix("/") {
      error.redirectURL = address(of: request) + path
    }
    let message = ErrorResponse(error: error, requestIdentifier: request.id.description)
    var answer = Answer(message, status: status ?? HTTPStatus(rawValue: error.code.httpStatus))
    if let seconds = error.retryAfterSeconds {
      answer.response.headers.append("Retry-After", String(seconds))
    }
    answer.error = error
    return answer
  }
}

extension CloudError {
  /// What a client is told whose body cannot be read.
  init(_ violation: HTTPParseError, bodyLimit: Int) {
    switch violation {
    case .bodyTooLong:
      self.init(
        .badRequest,
        "The request has more than \(bodyLimit) bytes. Send less at once, and files as assets.",
        extension: .limitExceeded)
    // The network's fault rather than the request's: the same one may pass the next time.
    case .headTooSlow, .bodyTooSlow:
      self.init(.tryAgainLater, violation.rawValue, retryAfterSeconds: 1)
    default: self.init(.badRequest, violation.rawValue)
    }
  }
}
