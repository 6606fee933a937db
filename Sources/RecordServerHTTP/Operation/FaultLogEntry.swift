package import CloudRecords
import JSONCoding

/// One line of the log for what went wrong within the server: JSON, as the lines of requests are.
package struct FaultLogEntry: Hashable, Sendable {
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
    var writer = JSONWriter(capacity: 128)
    writer.beginObject()
    writer.key("time")
    writer.int64(time.milliseconds)
    if let requestIdentifier {
      writer.key("request")
      writer.string(requestIdentifier)
    }
    writer.key("fault")
    writer.string(message)
    writer.endObject()
    return String(decoding: writer.array(), as: UTF8.self)
  }
}
