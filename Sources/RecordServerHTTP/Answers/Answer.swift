import CloudRecords
import CloudWire
import HTTPServer
import RecordServer

/// The answer to a request, with the values that the log and the metrics record.
struct Answer: Sendable {
  var response: HTTPResponse
  /// The authenticated caller, if any.
  var caller: Caller?
  /// The error in the response, if any.
  var error: CloudError?

  init(_ response: HTTPResponse, caller: Caller? = nil, error: CloudError? = nil) {
    self.response = response
    self.caller = caller
    self.error = error
  }

  /// Creates an answer from JSON text.
  init(json: String, status: HTTPStatus = .ok) {
    self.init(HTTPResponse(status, headers: Self.headers, body: .bytes(Array(json.utf8))))
  }

  /// Creates an answer from a message of the protocol.
  init(_ message: any WireResponse, status: HTTPStatus = .ok, caller: Caller? = nil) {
    self.init(
      HTTPResponse(status, headers: Self.headers, body: .bytes(message.bytes)), caller: caller)
  }

  /// Header fields that prevent caching and content sniffing.
  static let headers: HTTPHeaders = [
    "Content-Type": "application/json; charset=utf-8", "Cache-Control": "no-store",
    "X-Content-Type-Options": "nosniff",
  ]

  /// The length of the response's body if it is known before sending, otherwise 0.
  var bodyBytes: Int {
    switch response.body {
    case .bytes(let bytes): bytes.count
    case .file(let file): file.count
    case .parts(let length, _): length ?? 0
    }
  }
}

extension RecordService {
  /// Creates an answer with an error.
  ///
  /// - Parameter status: A status that is more specific than that of the error's code.
  func errorAnswer(_ error: CloudError, status: HTTPStatus? = nil, of request: HTTPRequest)
    -> Answer
  {
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
  /// Creates the error for a request whose body cannot be read.
  init(_ error: HTTPParseError, bodyLimit: Int) {
    switch error {
    case .bodyTooLong:
      self.init(
        .badRequest,
        "The request has more than \(bodyLimit) bytes. Send less in one request, and files as assets.",
        extension: .limitExceeded)
    // The network caused this error, so a retry may succeed.
    case .headTooSlow, .bodyTooSlow:
      self.init(.tryAgainLater, error.rawValue, retryAfterSeconds: 1)
    default: self.init(.badRequest, error.rawValue)
    }
  }
}
