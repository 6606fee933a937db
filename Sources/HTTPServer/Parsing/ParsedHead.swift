/// Where the parts of a request's head lie among the bytes that were parsed.
///
/// Nothing is copied.
///
/// Offsets count from the first byte of the request line, and fit 16 bits twice over: heads have a
/// limit.
package struct ParsedHead: Equatable, Sendable {
  /// A header field: its name, and its value without the white space around it.
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

  /// The bytes from the request line to the empty line, both included.
  package var byteCount = 0
  package var method = 0..<0
  /// The absolute path; `*` where the whole server is asked for its options.
  package var path = 0..<0
  /// What stands behind the question mark.
  package var query: Range<Int>?
  /// The host and port: from the target where it names them, else from the Host field.
  ///
  /// Empty for HTTP/1.0 without one.
  package var authority = 0..<0
  package var version = HTTPVersion.http11
  package var fields: [Field] = []
  package var framing = BodyFraming.none
  package var keepsAlive = true
  package var expectsContinue = false
}

/// The versions of HTTP that this server speaks.
package enum HTTPVersion: Sendable {
  case http10, http11
}

/// How the end of a request's body is known.
package enum BodyFraming: Equatable, Sendable {
  case none
  case length(Int)
  case chunked
}
