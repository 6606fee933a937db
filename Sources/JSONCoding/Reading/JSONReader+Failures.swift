extension JSONReader {
  /// Returns an error for the last requested value, which has the right kind but is not acceptable.
  public func invalidValue(_ message: String) -> JSONError {
    failure(.invalidValue, message, at: valueStart)
  }

  /// Returns an error for a key that is missing in the last object.
  public func missingKey(_ key: some JSONKey) -> JSONError {
    failure(.missingKey, "the key “\(key.rawValue)” is missing", at: position)
  }

  /// Returns an error for the current key, which appears twice in its object.
  public func duplicateKey() -> JSONError {
    failure(.duplicateKey, "the key appears twice in its object", at: frames[depth].place)
  }

  /// Returns an error for a value of another kind.
  func wrongKind(_ expected: JSONKind) -> JSONError {
    let isValue = position < count && JSONKind(firstByte: byte(at: position)) != nil
    return failure(isValue ? .wrongKind : .syntax, "expected \(expected.phrase)", at: position)
  }

  func truncated() -> JSONError {
    failure(.truncated, "the document ends too early", at: count)
  }

  @inline(never)
  func failure(_ code: JSONError.Code, _ message: String, at offset: Int) -> JSONError {
    JSONError(code, message, offset: offset, path: path)
  }
}

// MARK: - The path

extension JSONReader {
  /// The reader's position, such as `records[3].fields.name`.
  public var path: String {
    guard depth > 0 else { return "" }
    return (1...depth).reduce(into: "") { path, level in
      let frame = frames[level]
      guard frame.place >= 0 else { return }
      path += frame.isArray ? "[\(frame.place)]" : step(toKeyAt: frame.place, isFirst: path.isEmpty)
    }
  }

  /// Returns the path step to a key, as written in the document and shortened.
  ///
  /// Brackets and quotes surround the key unless it is a plain word.
  private func step(toKeyAt offset: Int, isFirst: Bool) -> String {
    let start = offset + 1
    let limit = min(count, start + Limits.keyBytesInPath)
    var end = start
    while end < limit, byte(at: end) != ASCII.quote {
      end += byte(at: end) == ASCII.backslash ? 2 : 1
    }
    end = min(end, limit)
    // Decoding replaces a character that the limit has cut.
    let text = String(decoding: (start..<end).map { byte(at: $0) }, as: UTF8.self)
    let isWhole = end < count && byte(at: end) == ASCII.quote
    guard isWhole, (start..<end).allSatisfy({ isPlain(byte(at: $0)) }), end > start else {
      return "[\"\(text)\(isWhole ? "" : "…")\"]"
    }
    return isFirst ? text : ".\(text)"
  }

  private func isPlain(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
      ASCII.zero...ASCII.nine,
      UInt8(ascii: "_"), UInt8(ascii: "$"), ASCII.minus:
      true
    default: false
    }
  }
}
