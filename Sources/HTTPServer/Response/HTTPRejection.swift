/// The rejection of a client before a handler runs: its request is invalid, or it exceeds a limit
/// of connections.
package struct HTTPRejection: Equatable, Sendable {
  package enum Reason: Hashable, Sendable {
    /// The input is not a valid request.
    case invalidRequest(HTTPParseError)
    /// The server has reached its limit of connections, in total or for the client's network.
    case tooManyConnections
  }

  package let reason: Reason
  /// The identifier of the rejection, like that of a request.
  package let id: HTTPRequestID

  package init(_ reason: Reason, id: HTTPRequestID) {
    self.reason = reason
    self.id = id
  }

  package var status: HTTPStatus {
    switch reason {
    case .invalidRequest(let error): error.status
    case .tooManyConnections: .serviceUnavailable
    }
  }

  /// A sentence that describes the reason to people.
  package var sentence: String {
    switch reason {
    case .invalidRequest(let error): error.rawValue
    case .tooManyConnections: "The server has too many connections."
    }
  }
}

extension HTTPRejection {
  /// The content of the response without the status.
  package struct Answer: Sendable {
    package var headers: HTTPHeaders
    package var body: [UInt8]

    package init(headers: HTTPHeaders, body: [UInt8]) {
      self.headers = headers
      self.body = body
    }

    /// Creates a plain-text answer with the sentence.
    package init(text rejection: HTTPRejection) {
      self.init(
        headers: ["Content-Type": "text/plain; charset=utf-8"],
        body: Array("\(rejection.sentence)\n".utf8))
    }
  }

  /// Returns the complete response, after which the connection ends.
  func bytes(_ answer: Answer, dateLine: [UInt8]) -> [UInt8] {
    do {
      let head = try ResponseHead.bytes(
        status: status, headers: answer.headers,
        framing: ResponseHead.Framing(contentLength: answer.body.count, keepsAlive: false),
        stamp: ResponseStamp(dateLine: dateLine, requestID: id))
      return head + answer.body
    } catch {
      preconditionFailure("The header fields of a rejection's answer must be valid: \(error)")
    }
  }
}
