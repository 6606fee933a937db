package import CloudRecords
package import JSONCoding

extension JSONWriter {
  /// Writes the members of an error, in an item or a whole response.
  mutating func errorMembers(_ error: CloudError) {
    text("serverErrorCode", error.unknownCode ?? error.code.rawValue)
    text("reason", error.reason)
    text("extensionErrorCode", ifPresent: error.extension?.rawValue)
    if let seconds = error.retryAfterSeconds { number("retryAfter", Int64(seconds)) }
    text("redirectURL", ifPresent: error.redirectURL)
    if let lost = error.lostHistory {
      key("restoration")
      lostHistory(lost)
    }
  }
}

/// A response with only an error.
package struct ErrorResponse: ClientResponse, Hashable {
  package var error: CloudError
  /// The identifier of the request in the server's log.
  package var requestIdentifier: String

  package init(error: CloudError, requestIdentifier: String) {
    self.error = error
    self.requestIdentifier = requestIdentifier
  }

  package init(from reader: inout JSONReader) throws(JSONError) {
    let item = try ErrorItem(from: &reader)
    guard let error = item.error else {
      throw reader.invalidValue("expected an error with a serverErrorCode")
    }
    self.init(error: error, requestIdentifier: item.requestIdentifier ?? "")
  }

  package func write(to writer: inout JSONWriter) {
    writer.beginObject()
    writer.text("uuid", requestIdentifier)
    writer.errorMembers(error)
    writer.endObject()
  }
}

extension CloudError {
  /// Reads the error of a response with an error status.
  ///
  /// The body may be anything, because proxies between client and server also answer.
  ///
  /// - Parameter retryAfter: The header field of this name, used if the body has no delay.
  package init(status: Int, retryAfter: String? = nil, answer body: [UInt8]) {
    if let response = try? JSONReader.read(body, ErrorResponse.init(from:)) {
      self = response.error
    } else {
      let beginning = body.isEmpty ? "says nothing" : "begins with “\(Self.beginning(of: body))”"
      self.init(
        CloudErrorCode(httpStatus: status),
        "The answer has the status \(status) and is not an error of the server: it \(beginning).")
      mayHaveArrived = status == 408 || status >= 500
    }
    if let seconds = retryAfter.flatMap(Int.init), seconds >= 0, retryAfterSeconds == nil {
      retryAfterSeconds = min(seconds, Limits.longestWaitSeconds)
    }
  }

  /// Creates the error of a successful response whose body cannot be read.
  init(_ body: [UInt8], unreadable reason: JSONError) {
    let isEmpty = body.allSatisfy { $0 <= UInt8(ascii: " ") }
    if let response = try? JSONReader.read(body, ErrorResponse.init(from:)) {
      self = response.error
    } else if isEmpty || [.syntax, .truncated, .encoding, .trailingBytes].contains(reason.code) {
      let finding =
        isEmpty
        ? "empty" : "not JSON (\(reason)): it begins with “\(Self.beginning(of: body))”"
      // A proxy may have answered, so a retry may reach the server.
      self.init(
        .tryAgainLater,
        """
        The answer is \(finding). A proxy, or a page to sign in to the network, may be in front of \
        the server.
        """)
    } else {
      self.init(.internalError, "The server's answer cannot be read: \(reason).")
    }
  }

  private static func beginning(of body: [UInt8]) -> String {
    String(decoding: body.prefix(Limits.shownBytes), as: UTF8.self)
      + (body.count > Limits.shownBytes ? "…" : "")
  }
}

extension CloudErrorCode {
  /// Creates the error of a response that has only a status.
  fileprivate init(httpStatus status: Int) {
    let known: CloudErrorCode? = Self.allCases.first {
      $0.httpStatus == status && $0 != .atomicError && $0 != .exists
    }
    self =
      known
      ?? ([408, 425, 502, 504].contains(status)
        ? .tryAgainLater : status < 500 ? .badRequest : .internalError)
  }
}
