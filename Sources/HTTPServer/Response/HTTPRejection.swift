/// A client who is turned away before any handler hears of it: its bytes are no request, or it is
/// one too many.
package struct HTTPRejection: Equatable, Sendable {
  package enum Reason: Hashable, Sendable {
    /// What was sent is no request that a handler could be given.
    case violation(HTTPParseError)
    /// The server has as many connections as it may have, in all or of the client's network.
    case tooManyConnections
  }

  package let reason: Reason
  /// Names the refusal, as a request is named.
  package let id: HTTPRequestID

  package init(_ reason: Reason, id: HTTPRequestID) {
    self.reason = reason
    self.id = id
  }

  package var status: HTTPStatus {
    switch reason {
    case .violation(let violation): violation.status
    case .tooManyConnections: .serviceUnavailable
    }
  }

  /// What was wrong, for people.
  package var sentence: String {
    switch reason {
    case .violation(let violation): violation.rawValue
    case .tooManyConnections: "The server has too many connections."
    }
  }
}

extension HTTPRejection {
  /// What the client is told besides the status.
  package struct Answer: Sendable {
    package var headers: HTTPHeaders
    package var body: [UInt8]

    package init(headers: HTTPHeaders, body: [UInt8]) {
      self.headers = headers
      self.body = body
    }

    /// The sentence alone, as a text.
    package init(text refusal: HTTPRejection) {
      self.init(
        headers: ["Content-Type": "text/plain; charset=utf-8"],
        body: Array("\(refusal.sentence)\n".utf8))
    }
  }

  /// The whole response, behind which the connection ends.
  func bytes(_ answer: Answer, dateLine: [UInt8]) -> [UInt8] {
    do {
      let head = try ResponseHead.bytes(
        status: status, headers: answer.headers,
        framing: ResponseHead.Framing(contentLength: answer.body.count, keepsAlive: false),
        stamp: ResponseStamp(dateLine: dateLine, requestID: id))
      return head + answer.body
    } catch {
      preconditionFailure("What a server answers refusals with has no faults: \(error)")
    }
  }
}
