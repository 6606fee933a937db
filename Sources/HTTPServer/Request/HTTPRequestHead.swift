/// A request's head: its bytes, copied once, and where its parts lie among them.
package struct HTTPRequestHead: Equatable, Sendable {
  let bytes: [UInt8]
  let parsed: ParsedHead

  /// Takes the head out of the bytes that it was parsed from.
  package init(_ parsed: ParsedHead, of bytes: Span<UInt8>) {
    self.parsed = parsed
    self.bytes = [UInt8](copying: bytes.extracting(0..<parsed.byteCount))
  }

  /// What is to be done.
  ///
  /// Methods of at most 15 letters need no memory.
  package var method: HTTPMethod { HTTPMethod(rawValue: text(parsed.method)) }
  /// The path, as it came: still percent-encoded.
  ///
  /// It begins with a slash, or is `*`.
  package var path: String { text(parsed.path) }
  /// What stands behind the question mark, as it came.
  package var query: String? { parsed.query.map(text) }
  /// The host and port that the client meant; empty for old clients that do not say.
  package var authority: String { text(parsed.authority) }
  /// The version of the protocol.
  package var version: HTTPVersion { parsed.version }
  /// The fields.
  package var headers: HTTPRequestHeaders { HTTPRequestHeaders(head: self) }
  /// The length of the body where the client names it; nil for chunked bodies.
  package var contentLength: Int? {
    switch parsed.framing {
    case .none: 0
    case .length(let length): length
    case .chunked: nil
    }
  }

  /// Whether the path is exactly this one; no text is made.
  package func pathIs(_ path: StaticString) -> Bool { bytes.span.isEqual(path, in: parsed.path) }

  /// Whether the method is exactly this one; no text is made.
  func methodIs(_ method: StaticString) -> Bool { bytes.span.isEqual(method, in: parsed.method) }

  /// The text of a range.
  ///
  /// Bytes that are no UTF-8, which only field values can have, become replacement characters.
  func text(_ range: Range<Int>) -> String { String(decoding: bytes[range], as: UTF8.self) }
}

extension [UInt8] {
  /// A copy of bytes.
  init(copying span: Span<UInt8>) {
    self = unsafe span.withUnsafeBufferPointer { unsafe [UInt8]($0) }
  }

  /// Adds a copy of bytes.
  mutating func append(copying span: Span<UInt8>) {
    unsafe span.withUnsafeBufferPointer { unsafe append(contentsOf: $0) }
  }
}
