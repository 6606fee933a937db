package import CloudRecords
import JSONCoding

/// One line of the log for each request, and for who was turned away before there was one: JSON, without bodies, tokens and signatures.
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
    requestIdentifier: String, time: Timestamp, method: String? = nil, path: String? = nil, status: Int,
    microseconds: Int? = nil, remoteAddress: String, userRecordName: String? = nil, error: CloudError? = nil
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
    var writer = JSONWriter(capacity: 256)
    writer.beginObject()
    writer.key("time")
    writer.int64(time.milliseconds)
    for (key, value) in [("request" as StaticString, requestIdentifier as String?), ("method", method), ("path", path)]
    {
      guard let value else { continue }
      writer.key(key)
      writer.string(value)
    }
    writer.key("status")
    writer.int64(Int64(status))
    if let microseconds {
      writer.key("microseconds")
      writer.int64(Int64(microseconds))
    }
    writer.key("remote")
    writer.string(remoteAddress)
    if let userRecordName {
      writer.key("user")
      writer.string(userRecordName)
    }
    if let error {
      writer.key("code")
      writer.string(error.code.rawValue)
      writer.key("reason")
      writer.string(error.reason)
    }
    writer.endObject()
    return String(decoding: writer.array(), as: UTF8.self)
  }
}
