import JSONCoding
import TestSupport
import Testing

@Suite struct `The syntax of documents` {
  @Test(arguments: SyntaxCases.accepted) func `Valid JSON is accepted when read and when skipped`(
    document: String
  ) {
    #expect(throws: Never.self) { try JSONValue(Array(document.utf8)) }
    #expect(throws: Never.self) { try skip(Array(document.utf8)) }
  }

  @Test(arguments: SyntaxCases.refused) func `Invalid JSON is refused when read and when skipped`(
    document: String
  ) {
    #expect(throws: JSONError.self) { try JSONValue(Array(document.utf8)) }
    #expect(throws: JSONError.self) { try skip(Array(document.utf8)) }
  }

  @Test(arguments: SyntaxCases.decided)
  func `Cases that the standard leaves open have a defined result`(
    document: String, isAccepted: Bool, reason: String
  ) {
    #expect(((try? JSONValue(Array(document.utf8))) != nil) == isAccepted, "\(reason)")
  }

  /// A number alone may end after any of its digits.
  ///
  /// Other documents are only valid as a whole.
  @Test(arguments: SyntaxCases.accepted) func `A truncated document is refused`(
    document: String
  ) {
    let bytes = Array(document.utf8)
    guard let first = document.first(where: { !$0.isWhitespace }), !"-0123456789".contains(first)
    else { return }
    guard let end = bytes.lastIndex(where: { $0 > 0x20 }) else { return }
    for count in 0..<end {
      let error = #expect(throws: JSONError.self) { try JSONValue(Array(bytes[..<count])) }
      #expect(error?.code == .truncated || error?.code == .encoding || error?.code == .syntax)
      #expect(throws: JSONError.self) { try skip(Array(bytes[..<count])) }
    }
    #expect(throws: Never.self) { try JSONValue(Array(bytes[...end])) }
  }

  @Test func `A document inside larger bytes ends at its given end`() throws {
    let bytes = Array("[1,2]garbage".utf8)
    let numbers = try JSONReader.read(bytes.span.extracting(0..<5)) { reader throws(JSONError) in
      try JSONValue(from: &reader)
    }
    #expect(numbers == .array([.integer(1), .integer(2)]))
  }
}

@Suite struct `The encoding of documents` {
  @Test(arguments: SyntaxCases.wrongBytes)
  func `Bytes that are not UTF-8 are refused everywhere`(
    bytes: [UInt8], place: Int
  ) {
    let documents: [(String, String)] = [
      ("", ""), ("\"", "\""), ("[\"", "\"]"), ("{\"", "\":1}"), ("[1,", "]"),
      ("\"12345678", "12345678\""),
      ("", "null"),
      ("null", ""), ("\"é", "é\""), ("{\"a\":\"", "\"}"),
    ]
    for (before, after) in documents {
      let document = Array(before.utf8) + bytes + Array(after.utf8)
      let error = #expect(throws: JSONError.self) { try JSONValue(document) }
      #expect(error?.code == .encoding)
      #expect(error?.offset == before.utf8.count + place)
    }
  }

  @Test func `An invalid byte is found at every position of a text`() {
    let document = Array("[\"twenty-four characters, é and 日本 and 😀\"]".utf8)
    for position in 0...document.count {
      var changed = document
      changed.insert(0xFF, at: position)
      let error = #expect(throws: JSONError.self) { try JSONValue(changed) }
      #expect(error?.code == .encoding)
    }
  }

  @Test func `UTF-8 is checked as the standard library checks it`() {
    var random = SeededGenerator.forTest()
    let starts =
      SyntaxCases.wrongBytes.map(\.bytes)
      + ["é", "߿", "ࠀ", "퟿", "\u{E000}", "😀", "\u{10FFFF}"].map { Array($0.utf8) }
    for _ in 0..<20_000 {
      var text: [UInt8] = []
      for _ in 0..<Int.random(in: 0...6, using: &random) {
        text += [UInt8](repeating: 0x61, count: Int.random(in: 0...40, using: &random))
        text += starts.randomElement(using: &random) ?? []
        if Int.random(in: 0..<8, using: &random) == 0 {
          text.append(UInt8.random(in: 0x80...0xFF, using: &random))
        }
      }
      let document = [UInt8(ascii: "\"")] + text + [UInt8(ascii: "\"")]
      let found = Result { () throws(JSONError) in try skip(document) }
      let expected = Result { () throws(UTF8.ValidationError) in
        _ = try UTF8Span(validating: document.span)
      }
      switch (found, expected) {
      case (.success, .success): break
      case (.failure(let error), .failure(let reason)):
        #expect(
          error.code == .encoding && error.offset == reason.byteOffsets.lowerBound,
          "\(text) \(random)")
      default: Issue.record("The verdicts differ: \(text) \(random)")
      }
    }
  }

  @Test func `A byte order mark is reported`() {
    let error = #expect(throws: JSONError.self) { try JSONValue(Array("\u{FEFF}{}".utf8)) }
    #expect(error?.description == "the document begins with a byte order mark at byte 0")
  }

  @Test func `Documents in UTF-16 and UTF-32 are refused`() {
    for bytes: [UInt8] in [
      [0xFF, 0xFE, 0x5B, 0, 0x5D, 0], [0x5B, 0, 0x5D, 0], [0, 0x5B, 0, 0x5D], [0, 0, 0, 0x5B],
    ] {
      #expect(throws: JSONError.self) { try JSONValue(bytes) }
    }
  }
}

/// Reads a document without a decoder.
func skip(_ document: [UInt8]) throws(JSONError) {
  try JSONReader.read(document) { reader throws(JSONError) in try reader.skip() }
}
