extension XMLReader {
  var atEnd: Bool { position >= bytes.count }

  /// The next byte, without consuming it.
  func peek() -> UInt8? {
    position < bytes.count ? bytes[position] : nil
  }

  /// Consumes a text if it is next.
  @discardableResult
  mutating func skip(_ text: String) -> Bool {
    let matches = bytes[position...].starts(with: text.utf8)
    if matches { position += text.utf8.count }
    return matches
  }

  /// Skips whitespace, and returns whether there was any.
  @discardableResult
  mutating func skipSpace() -> Bool {
    let start = position
    while let byte = peek(), [0x20, 0x9, 0xA, 0xD].contains(byte) { position += 1 }
    return position > start
  }

  /// Consumes text up to and including the end mark of a construct, and returns the mark's offset.
  mutating func find(_ mark: String, for what: String) throws(XMLSyntaxError) -> Int {
    let start = position
    while !atEnd {
      if skip(mark) { return position - mark.utf8.count }
      position += 1
    }
    throw failure(at: start, "The file ends inside \(what).", "The file is cut off; restore it.")
  }

  /// An error at an offset, by default at the reader's position.
  func failure(at offset: Int? = nil, _ problem: String, _ remedy: String) -> XMLSyntaxError {
    XMLSyntaxError(problem: problem, remedy: remedy, offset: offset ?? position)
  }
}
