package import CloudRecords

/// One line of the log for what went wrong within the server: JSON, as the lines of requests are.
package struct ErrorLogEntry: Hashable, Sendable {
  package var time: Timestamp
  /// The request that it went wrong in.
  package var requestIdentifier: String?
  package var message: String

  package init(time: Timestamp, requestIdentifier: String? = nil, message: String) {
    self.time = time
    self.requestIdentifier = requestIdentifier
    self.message = message
  }

  /// The line, without its end.
  package var line: String {
    LogLine.text { writer, most in
      writer.member("time", time.milliseconds)
      writer.member("request", requestIdentifier, toBytes: most)
      writer.member("fault", message, toBytes: most)
    }
  }
}
