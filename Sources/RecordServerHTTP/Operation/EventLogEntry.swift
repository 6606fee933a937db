package import CloudRecords

/// One line of the log for what the server tells of itself: JSON, as the lines of requests are.
package struct EventLogEntry: Hashable, Sendable {
  package var time: Timestamp
  package var message: String

  package init(time: Timestamp, message: String) {
    self.time = time
    self.message = message
  }

  /// The line, without its end.
  package var line: String {
    LogLine.text { writer, most in
      writer.member("time", time.milliseconds)
      writer.member("notice", message, toBytes: most)
    }
  }
}
