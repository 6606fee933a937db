/// Writes the heads of responses.
enum ResponseHead {
  /// What the head says about the body and the connection.
  struct Framing {
    /// Nil where there is no such field.
    var contentLength: Int?
    var isChunked = false
    var keepsAlive = true
    /// A client of HTTP/1.0 closes unless it is told not to.
    var version = HTTPVersion.http11
  }

  /// The bytes of a head.
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

  /// Whether the server writes the field itself.
  private static func isOwn(_ name: String) -> Bool {
    guard [4, 10, 12, 14, 17].contains(name.utf8.count) else { return false }
    return ["date", "connection", "x-request-id", "content-length", "transfer-encoding"].contains(
      name.lowercased())
  }
}

/// What the server adds to each response.
package struct ResponseStamp: Sendable {
  /// `Date: …`, with its line end.
  package var dateLine: [UInt8]
  /// Nil where no request could be read.
  package var requestID: HTTPRequestID?

  package init(dateLine: [UInt8], requestID: HTTPRequestID?) {
    self.dateLine = dateLine
    self.requestID = requestID
  }
}

extension [UInt8] {
  /// Adds the bytes of a text.
  mutating func append(_ text: StaticString) {
    text.withUTF8Buffer { unsafe append(contentsOf: $0) }
  }

  /// Adds a number that is not negative, in decimal digits.
  mutating func append(decimal number: Int) {
    var divisor = 1
    while number / divisor >= 10 { divisor *= 10 }
    while divisor > 0 {
      append(UInt8(ascii: "0") + UInt8(number / divisor % 10))
      divisor /= 10
    }
  }

  /// Adds a number that is not negative, in hexadecimal digits.
  mutating func append(hexadecimal number: Int) {
    append(contentsOf: String(number, radix: 16).utf8)
  }
}
