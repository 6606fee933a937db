/// Writes the heads of responses.
enum ResponseHead {
  /// The fields of the head that describe the body and the connection.
  struct Framing {
    /// The value of the `Content-Length` field, or nil to omit it.
    var contentLength: Int?
    var isChunked = false
    var keepsAlive = true
    /// The HTTP version of the request.
    ///
    /// In HTTP/1.0, a connection closes by default, so the response must say that it stays open.
    var version = HTTPVersion.http11
  }

  /// Returns the bytes of a head.
  static func bytes(
    status: HTTPStatus, headers: HTTPHeaders, framing: Framing, stamp: ResponseStamp
  ) throws(HTTPHeaderError) -> [UInt8] {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(256)
    appendStatusLine(status, to: &bytes)
    bytes.append(contentsOf: stamp.dateLine)
    for field in headers.fields { try append(field.name, field.value, to: &bytes) }
    append(framing, to: &bytes)
    if let id = stamp.requestID {
      bytes.append("X-Request-ID: ")
      bytes.append(contentsOf: id.digits)
      bytes.append("\r\n")
    }
    bytes.append("\r\n")
    return bytes
  }

  private static func appendStatusLine(_ status: HTTPStatus, to bytes: inout [UInt8]) {
    bytes.append("HTTP/1.1 ")
    bytes.append(decimal: status.rawValue)
    bytes.append(ByteClass.space)
    bytes.append(contentsOf: status.reason.utf8)
    bytes.append("\r\n")
  }

  private static func append(_ name: String, _ value: String, to bytes: inout [UInt8])
    throws(HTTPHeaderError)
  {
    guard !isOwn(name) else { return }
    guard !name.isEmpty, name.utf8.allSatisfy(ByteClass.isToken),
      value.utf8.allSatisfy(ByteClass.isFieldValue)
    else {
      throw HTTPHeaderError(name: name)
    }
    bytes.append(contentsOf: name.utf8)
    bytes.append(": ")
    bytes.append(contentsOf: value.utf8)
    bytes.append("\r\n")
  }

  private static func append(_ framing: Framing, to bytes: inout [UInt8]) {
    if let length = framing.contentLength {
      bytes.append("Content-Length: ")
      bytes.append(decimal: length)
      bytes.append("\r\n")
    } else if framing.isChunked {
      bytes.append("Transfer-Encoding: chunked\r\n")
    }
    if !framing.keepsAlive {
      bytes.append("Connection: close\r\n")
    } else if framing.version == .http10 {
      bytes.append("Connection: keep-alive\r\n")
    }
  }

  /// Whether the server itself writes the field.
  private static func isOwn(_ name: String) -> Bool {
    // Most names have other lengths, and need not be lowercased.
    guard [4, 10, 12, 14, 17].contains(name.utf8.count) else { return false }
    return ["date", "connection", "x-request-id", "content-length", "transfer-encoding"].contains(
      name.lowercased())
  }
}

/// The values that the server adds to each response.
package struct ResponseStamp: Sendable {
  /// The `Date` line, with its line end.
  package var dateLine: [UInt8]
  /// The identifier of the request, or nil if no request could be read.
  package var requestID: HTTPRequestID?

  package init(dateLine: [UInt8], requestID: HTTPRequestID?) {
    self.dateLine = dateLine
    self.requestID = requestID
  }
}

extension [UInt8] {
  /// Appends the bytes of a text.
  mutating func append(_ text: StaticString) {
    text.withUTF8Buffer { unsafe append(contentsOf: $0) }
  }

  /// Appends a nonnegative number in decimal digits.
  mutating func append(decimal number: Int) {
    var divisor = 1
    while number / divisor >= 10 { divisor *= 10 }
    while divisor > 0 {
      append(UInt8(ascii: "0") + UInt8(number / divisor % 10))
      divisor /= 10
    }
  }

  /// Appends a nonnegative number in hexadecimal digits.
  mutating func append(hexadecimal number: Int) {
    append(contentsOf: String(number, radix: 16).utf8)
  }
}
