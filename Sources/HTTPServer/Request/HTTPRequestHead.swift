/// A request's head: a copy of its bytes, and the positions of its parts in them.
package struct HTTPRequestHead: Equatable, Sendable {
  let bytes: [UInt8]
  let parsed: ParsedHead

  /// Copies the head from the bytes from which it was parsed.
  package init(_ parsed: ParsedHead, of bytes: Span<UInt8>) {
    self.parsed = parsed
    self.bytes = [UInt8](copying: bytes.extracting(0..<parsed.byteCount))
  }

  /// The method.
  ///
  /// Methods of at most 15 letters allocate nothing.
  package var method: HTTPMethod { HTTPMethod(rawValue: text(parsed.method)) }
  /// The path as the client sent it, still percent-encoded.
  ///
  /// It begins with a slash, or is `*`.
  package var path: String { text(parsed.path) }
  /// The part of the target after the question mark, still percent-encoded.
  package var query: String? { parsed.query.map(text) }
  /// The host and port of the request, or an empty text for old clients that send none.
  package var authority: String { text(parsed.authority) }
  /// The version of the protocol.
  package var version: HTTPVersion { parsed.version }
  /// The header fields.
  package var headers: HTTPRequestHeaders { HTTPRequestHeaders(head: self) }
  /// The length of the body, or nil for a chunked body.
  package var contentLength: Int? {
    switch parsed.framing {
    case .none: 0
    case .length(let length): length
    case .chunked: nil
    }
  }

  /// Whether the path equals a text.
  ///
  /// The comparison allocates nothing.
  package func pathIs(_ path: StaticString) -> Bool { bytes.span.isEqual(path, in: parsed.path) }

  /// Whether the method equals a text.
  ///
  /// The comparison allocates nothing.
  func methodIs(_ method: StaticString) -> Bool { bytes.span.isEqual(method, in: parsed.method) }

  /// Returns the text of a range.
  ///
  /// Bytes that are not UTF-8, which only field values can have, become replacement characters.
  func text(_ range: Range<Int>) -> String { String(decoding: bytes[range], as: UTF8.self) }
}

extension [UInt8] {
  /// Creates a copy of bytes.
  init(copying span: Span<UInt8>) {
    self = unsafe span.withUnsafeBufferPointer { unsafe [UInt8]($0) }
  }

  /// Appends a copy of bytes.
  mutating func append(copying span: Span<UInt8>) {
    unsafe span.withUnsafeBufferPointer { unsafe append(contentsOf: $0) }
  }
}
