/// The part of a representation that a client requests (RFC 9110, 14).
package enum HTTPByteRange: Equatable, Sendable {
  /// The whole representation: no range was requested, or one that a server may ignore, such as
  /// several parts.
  case whole
  case part(Range<Int>)
  /// A part after the end.
  case unsatisfiable

  /// Reads the `Range` field of a request for a representation of a given length.
  package init(_ field: String?, length: Int) {
    self = field.flatMap { Self.read($0.utf8[...], length: length) } ?? .whole
  }

  /// Reads a single range of bytes, or returns nil for any other field.
  private static func read(_ field: Substring.UTF8View, length: Int) -> HTTPByteRange? {
    let unit = "bytes="
    guard field.count > unit.utf8.count,
      field.prefix(unit.utf8.count).map(ByteClass.lowercased) == Array(unit.utf8)
    else {
      return nil
    }
    let parts = field.dropFirst(unit.utf8.count).split(
      separator: UInt8(ascii: "-"), maxSplits: 1, omittingEmptySubsequences: false)
    guard parts.count == 2 else { return nil }
    if parts[0].isEmpty { return number(parts[1]).map { suffix($0, length: length) } }
    guard let first = number(parts[0]) else { return nil }
    if parts[1].isEmpty { return part(from: first, to: .max, length: length) }
    guard let last = number(parts[1]), first <= last else { return nil }
    return part(from: first, to: last, length: length)
  }

  private static func part(from first: Int, to last: Int, length: Int) -> HTTPByteRange {
    first < length ? .part(first..<min(last, length - 1) + 1) : .unsatisfiable
  }

  private static func suffix(_ count: Int, length: Int) -> HTTPByteRange {
    count > 0 && length > 0 ? .part(max(0, length - count)..<length) : .unsatisfiable
  }

  /// Reads a number, or returns nil for any other text.
  ///
  /// A number of more than 18 digits becomes `Int.max`, because both exceed every length.
  private static func number(_ digits: Substring.UTF8View.SubSequence) -> Int? {
    guard !digits.isEmpty, digits.allSatisfy(ByteClass.isDigit) else { return nil }
    return digits.count <= 18 ? Int(Substring(digits)) : .max
  }
}

extension HTTPResponse {
  /// Creates a response with a file, or with the part of it that the request asks for.
  ///
  /// A request whose `If-Range` field does not match the file's tag gets the whole file.
  ///
  /// - Parameter entityTag: The tag of these contents, in quotation marks. The response has it as
  ///   its `ETag`.
  package init(
    file: HTTPFile, for request: HTTPRequest, headers: HTTPHeaders = [:], entityTag: String? = nil
  ) throws(HTTPServerError) {
    precondition(
      file.range.lowerBound == 0,
      "Ranges count from the file's beginning; make the response from the whole file.")
    var headers = headers
    headers.append("Accept-Ranges", "bytes")
    if let entityTag { headers.append("ETag", entityTag) }
    let condition = request.headers["if-range"]
    let takesPart = request.head.methodIs("GET") && (condition == nil || condition == entityTag)
    switch HTTPByteRange(takesPart ? request.headers["range"] : nil, length: file.count) {
    case .whole: self.init(headers: headers, body: .file(file))
    case .part(let range):
      headers.append(
        "Content-Range", "bytes \(range.lowerBound)-\(range.upperBound - 1)/\(file.count)")
      self.init(.partialContent, headers: headers, body: .file(try HTTPFile(range, of: file)))
    case .unsatisfiable:
      headers.append("Content-Range", "bytes */\(file.count)")
      self.init(.rangeNotSatisfiable, headers: headers)
    }
  }
}
