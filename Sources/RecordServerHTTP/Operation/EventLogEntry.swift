package import CloudRecords

/// A log entry for an event of the server, as one line of JSON.
package struct EventLogEntry: Hashable, Sendable {
  package var time: Timestamp
  package var message: String

  package init(time: Timestamp, message: String) {
    self.time = time
    self.message = message
  }

  /// The line, without its line end.
  package var line: String {
    LogLine.text { writer, most in
      writer.member("time", time.milliseconds)
      writer.member("notice", message, toBytes: most)
    }
  }
}
