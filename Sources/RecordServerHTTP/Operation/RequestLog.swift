package import CloudRecords

/// A log entry for a request or a rejected client, as one line of JSON.
///
/// It has no bodies, tokens or signatures.
package struct RequestLogEntry: Hashable, Sendable {
  package var requestIdentifier: String
  package var time: Timestamp
  /// The method.
  ///
  /// Like the path and the duration, it is nil if no request could be read.
  package var method: String?
  /// The path without its query, which may contain tokens.
  package var path: String?
  package var status: Int
  package var microseconds: Int?
  package var remoteAddress: String
  package var userRecordName: String?
  /// The error of the answer, if any.
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

  /// The line, without its line end.
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
