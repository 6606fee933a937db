package import CloudRecords
package import JSONCoding

extension JSONWriter {
  /// The members that an error has, within an item or a whole response.
  mutating func errorMembers(_ error: CloudError) {
    text("serverErrorCode", error.code.rawValue)
    text("reason", error.reason)
    text("extensionErrorCode", ifPresent: error.extension?.rawValue)
    if let seconds = error.retryAfterSeconds { number("retryAfter", Int64(seconds)) }
    text("redirectURL", ifPresent: error.redirectURL)
  }
}

/// A response that is nothing but an error.
package struct ErrorResponse: WireResponse, Hashable {
  package var error: CloudError
  /// Names the request in the server's log.
  package var requestIdentifier: String

  package init(error: CloudError, requestIdentifier: String) {
    self.error = error
    self.requestIdentifier = requestIdentifier
  }

  package func write(to writer: inout JSONWriter) {
    writer.beginObject()
    writer.text("uuid", requestIdentifier)
    writer.errorMembers(error)
    writer.endObject()
  }
}
