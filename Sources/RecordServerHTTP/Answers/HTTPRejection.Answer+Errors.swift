import CloudRecords
import CloudWire
import HTTPServer
import JSONCoding

extension HTTPRejection.Answer {
  /// Creates the protocol's error for a rejected request or connection.
  ///
  /// - Parameter bodyLimit: The longest body that the HTTP server accepts.
  init(_ rejection: HTTPRejection, bodyLimit: Int) {
    let error = CloudError(rejection, bodyLimit: bodyLimit)
    let identifier = rejection.id.description
    var writer = JSONWriter(capacity: 512)
    ErrorResponse(error: error, requestIdentifier: identifier).write(to: &writer)
    var headers = Answer.headers
    headers.append("X-Apple-Request-UUID", identifier)
    CrossOrigin.allowAll(in: &headers)
    if let seconds = error.retryAfterSeconds { headers.append("Retry-After", String(seconds)) }
    self.init(headers: headers, body: writer.array())
  }
}

extension CloudError {
  /// Creates the answer to a client that is rejected before a handler runs.
  init(_ rejection: HTTPRejection, bodyLimit: Int) {
    switch rejection.reason {
    case .invalidRequest(let error): self.init(error, bodyLimit: bodyLimit)
    case .tooManyConnections: self.init(.tryAgainLater, rejection.sentence, retryAfterSeconds: 5)
    }
  }
}
