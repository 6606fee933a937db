package import CloudRecords

/// A log entry for an error within the server, as one line of JSON.
package struct ErrorLogEntry: Hashable, Sendable {
  package var time: Timestamp
  /// The identifier of the request that failed.
  package var requestIdentifier: String?
  package var message: String

  package init(time: Timestamp, requestIdentifier: String? = nil, message: String) {
    self.time = time
    self.requestIdentifier = requestIdentifier
    self.message = message
  }

  /// The line, without its line end.
  package var line: String {
    LogLine.text { writer, most in
      writer.member("time", time.milliseconds)
      writer.member("request", requestIdentifier, toBytes: most)
      writer.member("error", message, toBytes: most)
    }
  }
}
