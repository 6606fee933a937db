/// Extracts the single file of a form (`multipart/form-data`, RFC 7578) from pieces of any size.
///
/// ```
///          delimiter       CRLF        empty line          delimiter        --
/// preamble ─────────▶ lineEnd ────▶ fields ──────────▶ contents ─────────▶ lineEnd ──▶ epilogue
///                                                                             └ CRLF: error
/// ```
///
/// The fields of the part are ignored, because a client sends one file under any name. The reader
/// buffers only bytes that could be the beginning of the delimiter.
package struct MultipartReader {
  private enum State {
    case preamble
    /// After a delimiter. Two dashes make it the last one.
    case lineEnd
    case fields
    case contents
    case epilogue
  }

  /// The maximum number of bytes outside the file.
  static let overheadBytes = 16 << 10

  private let delimiter: [UInt8]
  private var state = State.preamble
  /// Bytes that are not parsed yet.
  ///
  /// The initial line end lets the first delimiter start the form.
  private var pending = Array("\r\n".utf8)
  private var overhead = 0
  private var hasContents = false

  /// Creates a reader of forms with a boundary between their parts.
  package init(boundary: String) { delimiter = Array("\r\n--\(boundary)".utf8) }

  /// Returns the reader for a request's `Content-Type`, or nil if the body is the file itself.
  ///
  /// - Throws: An error if the type is a form and its boundary cannot be read.
  package static func reader(of contentType: String?) throws(MultipartError) -> MultipartReader? {
    guard let contentType, contentType.lowercased().hasPrefix("multipart/form-data") else {
      return nil
    }
    for part in contentType.split(separator: ";").dropFirst() {
      let pair = part.split(separator: "=", maxSplits: 1)
      guard pair.count == 2, pair[0].filter({ $0 != " " }).lowercased() == "boundary" else {
        continue
      }
      let boundary = pair[1].filter { $0 != "\"" }.reversed().drop { $0 == " " }.reversed()
      guard (1...70).contains(boundary.count), boundary.allSatisfy(\.isASCII) else { break }
      return MultipartReader(boundary: String(boundary))
    }
    throw .boundary
  }
}

/// An error in a form.
package enum MultipartError: String, Error, CaseIterable, Sendable {
  case boundary = "The form's Content-Type has no boundary of 1 to 70 characters."
  case noFile = "The form ends before its file does."
  case secondPart = "The form has more than one part. Send one file to each address."
  case malformed = "The form has an invalid byte after a delimiter."
  case overhead = "The form has too many bytes outside its file."
}

// MARK: - Reading

extension MultipartReader {
  /// Reads the next bytes of the form.
  ///
  /// - Returns: The next bytes of the file, if any.
  package mutating func read(_ bytes: [UInt8]) throws(MultipartError) -> [UInt8] {
    pending += bytes
    var contents: [UInt8] = []
    while try step(&contents) {}
    return contents
  }

  /// Checks that the form was complete.
  package func finish() throws(MultipartError) {
    guard state == .epilogue else { throw .noFile }
  }

  /// Performs one step if enough bytes are pending.
  ///
  /// Returns false otherwise.
  private mutating func step(_ contents: inout [UInt8]) throws(MultipartError) -> Bool {
    switch state {
    case .preamble:
      let (before, isFound) = takeToDelimiter()
      try discard(before.count)
      if isFound { state = .lineEnd }
      return isFound
    case .lineEnd: return try endLine()
    case .fields: return try skipFields()
    case .contents:
      let (part, isFound) = takeToDelimiter()
      contents += part
      if isFound { state = .lineEnd }
      return isFound
    case .epilogue:
      try discard(pending.count)
      pending = []
      return false
    }
  }

  /// Removes the bytes before the delimiter, or before a possible beginning of it.
  private mutating func takeToDelimiter() -> (before: [UInt8], isFound: Bool) {
    if let place = pending.place(of: delimiter) {
      defer { pending.removeFirst(place + delimiter.count) }
      return (Array(pending[..<place]), true)
    }
    let safe = max(0, pending.count - delimiter.count + 1)
    defer { pending.removeFirst(safe) }
    return (Array(pending[..<safe]), false)
  }

  private mutating func endLine() throws(MultipartError) -> Bool {
    // Spaces may follow a delimiter.
    let spaces = pending.prefix { $0 == UInt8(ascii: " ") || $0 == UInt8(ascii: "\t") }.count
    try discard(spaces)
    pending.removeFirst(spaces)
    guard pending.count >= 2 else { return false }
    switch (pending[0], pending[1]) {
    case (UInt8(ascii: "-"), UInt8(ascii: "-")) where hasContents: state = .epilogue
    case (UInt8(ascii: "-"), UInt8(ascii: "-")): throw .noFile
    case (13, 10) where hasContents: throw .secondPart
    // The line end stays: with a following empty line it ends the fields, even if there are none.
    case (13, 10): state = .fields
    default: throw .malformed
    }
    return true
  }

  private mutating func skipFields() throws(MultipartError) -> Bool {
    guard let place = pending.place(of: Array("\r\n\r\n".utf8)) else {
      // The end of the fields may have begun.
      guard pending.count < Self.overheadBytes + 4 else { throw .overhead }
      return false
    }
    try discard(place)
    pending.removeFirst(place + 4)
    (state, hasContents) = (.contents, true)
    return true
  }

  private mutating func discard(_ count: Int) throws(MultipartError) {
    overhead += count
    guard overhead <= Self.overheadBytes else { throw .overhead }
  }
}

extension [UInt8] {
  /// The index of a sequence that begins with a carriage return, or nil.
  fileprivate func place(of wanted: [UInt8]) -> Int? {
    guard count >= wanted.count else { return nil }
    let (bytes, wanted) = (span, wanted.span)
    var place = 0
    while place <= bytes.count - wanted.count {
      if bytes[place] == 13, Self.matches(wanted, in: bytes, at: place) { return place }
      place += 1
    }
    return nil
  }

  private static func matches(_ wanted: Span<UInt8>, in bytes: Span<UInt8>, at place: Int) -> Bool {
    for index in wanted.indices where bytes[place + index] != wanted[index] { return false }
    return true
  }
}
