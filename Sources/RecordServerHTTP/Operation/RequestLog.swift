package import CloudRecords

/// One line of the log for each request, and for who was turned away before there was one: JSON,
/// without bodies, tokens and signatures.
package struct RequestLogEntry: Hashable, Sendable {
  package var requestIdentifier: String
  package var time: Timestamp
  /// The method; nil, as the path and the time, where no request could be made of what was sent.
  package var method: String?
  /// The path without its query, which may hold tokens.
  package var path: String?
  package var status: Int
  package var microseconds: Int?
  package var remoteAddress: String
  package var userRecordName: String?
  /// The code and the reason of an answer that is an error.
  package var error: CloudError?

  package init(
    requestIdentifier: String, time: Timestamp, method: String? = nil, path: String? = nil,
    status: Int,
    microseconds: Int? = nil, remoteAddress: String, userRecordName: String? = nil,
    error: CloudError? = nil
  ) {
    self.requestIdentifier = requestIdentifier
    self.time = time
    self.method = method
    self.path = path
    self.status = status
    self.microseconds = microseconds
    self.remoteAddress = remoteAddress
    self.userRecordName = userRecordName
    self.error = error
  }

  /// The line, without its end.
  package var line: String {
    LogLine.text { writer, most in
      writer.member("time", time.milliseconds)
      writer.member("request", requestIdentifier, toBytes: most)
      writer.member("method", method, toBytes: most)
      writer.member("path", path, toBytes: most)
      writer.member("status", Int64(status))
      writer.member("microseconds", microseconds.map { Int64($0) })
      writer.member("remote", remoteAddress, toBytes: most)
      writer.member("user", userRecordName, toBytes: most)
      writer.member("code", error?.code.rawValue, toBytes: most)
      writer.member("reason", error?.reason, toBytes: min(most, LogLine.reasonBytes))
    }
  }
}
