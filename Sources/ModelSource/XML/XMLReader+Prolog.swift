extension XMLReader {
  /// Rejects text that is not UTF-8, with a message that names its probable encoding or format.
  func requireReadableText() throws(XMLSyntaxError) {
    guard bytes.count <= largest.bytes else {
      throw failure(largest.excessOfBytes, largest.remedy)
    }
    if bytes.starts(with: [0xFE, 0xFF]) || bytes.starts(with: [0xFF, 0xFE])
      || bytes.starts(with: [0, 0x3C])
      || bytes.starts(with: [0x3C, 0])
    {
      throw failure("The file is written in UTF-16.", "Save it in UTF-8, as the data modeler does.")
    }
    do {
      _ = try UTF8Span(validating: bytes.span)
    } catch {
      throw failure(
        at: error.byteOffsets.lowerBound, "The file is not UTF-8 text.",
        "Save it in UTF-8, as the data modeler does.")
    }
    if let control = bytes.firstIndex(where: { $0 < 0x20 && ![0x9, 0xA, 0xD].contains($0) }) {
      throw failure(
        at: control, "The file contains a control character that XML does not allow.", "Remove it.")
    }
  }

  /// Reads an optional `<?xml …?>` and checks its encoding.
  mutating func readDeclaration() throws(XMLSyntaxError) {
    guard bytes.dropFirst(position).starts(with: Array("<?xml ".utf8)) else { return }
    let start = position
    let end = try find("?>", for: "the XML declaration")
    let declaration = String(decoding: bytes[start..<end], as: UTF8.self)
    let words = declaration.split { " \t\r\n='\"".contains($0) }
    guard let label = words.firstIndex(of: "encoding"), label + 1 < words.count else { return }
    let encoding = words[label + 1]
    guard !["utf-8", "utf8", "us-ascii", "ascii"].contains(encoding.lowercased()) else { return }
    throw failure(
      at: start, "The file declares the encoding \(encoding).",
      "Save it in UTF-8, as the data modeler does.")
  }

  /// Skips whitespace, comments, instructions and, if allowed, a document type.
  mutating func skipMiscellany() throws(XMLSyntaxError) {
    while true {
      skipSpace()
      if skip("<!--") {
        try skipComment()
      } else if skip("<?") {
        try skipInstruction()
      } else if skip("<!DOCTYPE") {
        try skipDocumentType()
      } else {
        return
      }
    }
  }

  mutating func skipComment() throws(XMLSyntaxError) {
    _ = try find("-->", for: "a comment")
  }

  mutating func skipInstruction() throws(XMLSyntaxError) {
    _ = try find("?>", for: "a processing instruction")
  }

  private mutating func skipDocumentType() throws(XMLSyntaxError) {
    let start = position - "<!DOCTYPE".utf8.count
    guard documentType == .ignored else {
      throw failure(
        at: start, "The file has a document type; a data model has none.",
        "Remove <!DOCTYPE …>.")
    }
    let end = try find(">", for: "the document type")
    guard !bytes[start..<end].contains(UInt8(ascii: "[")) else {
      throw failure(at: start, "The document type contains declarations.", "Remove them.")
    }
  }
}
