/// The positions of the parts of a request's head in the parsed bytes.
///
/// Nothing is copied. Offsets count from the first byte after the previous request.
package struct ParsedHead: Equatable, Sendable {
  /// A header field: its name, and its value without the surrounding white space.
  package struct Field: Equatable, Sendable {
    let nameStart: UInt32
    let nameEnd: UInt32
    let valueStart: UInt32
    let valueEnd: UInt32

    package var name: Range<Int> { Int(nameStart)..<Int(nameEnd) }
    package var value: Range<Int> { Int(valueStart)..<Int(valueEnd) }

    init(name: Range<Int>, value: Range<Int>) {
      nameStart = UInt32(name.lowerBound)
      nameEnd = UInt32(name.upperBound)
      valueStart = UInt32(value.lowerBound)
      valueEnd = UInt32(value.upperBound)
    }
  }

  /// The length of the head in bytes, with the empty line that ends it.
  ///
  /// An empty line before the request line is included, too.
  package var byteCount = 0
  package var method = 0..<0
  /// The absolute path, or `*` for the options of the whole server.
  package var path = 0..<0
  /// The part of the target after the question mark.
  package var query: Range<Int>?
  /// The host and port, from the target if it names them, otherwise from the Host field.
  ///
  /// Empty for HTTP/1.0 without a Host field.
  package var authority = 0..<0
  package var version = HTTPVersion.http11
  package var fields: [Field] = []
  package var framing = BodyFraming.none
  package var keepsAlive = true
  package var expectsContinue = false
}

/// The versions of HTTP that this server supports.
package enum HTTPVersion: Sendable {
  case http10, http11
}

/// The framing of a request's body.
package enum BodyFraming: Equatable, Sendable {
  case none
  case length(Int)
  case chunked
}
