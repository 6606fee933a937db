import HTTPServer
import TestSupport
import Testing

@Suite("Chunked body decoder")
struct ChunkedBodyDecoderTests {
  @Test(arguments: [
    ("0\r\n\r\n", ""), ("5\r\nhello\r\n0\r\n\r\n", "hello"),
    ("1\r\na\r\n2\r\nbc\r\n000\r\n\r\n", "abc"),
    ("A\r\n0123456789\r\n0\r\n\r\n", "0123456789"),
    ("a;name=\"value\"; x\r\n0123456789\r\n0;y\r\n\r\n", "0123456789"),
    ("0\r\nX-Trailer: a b\r\nother:\r\n\r\n", ""),
    ("000000000000003\r\n\r\n\0\r\n0\r\n\r\n", "\r\n\0"),
  ])
  func `Bodies lose their framing`(text: String, body: String) throws {
    let decoded = try decode(Array(text.utf8), pieces: { $0 })
    #expect(decoded?.body == Array(body.utf8))
    #expect(decoded?.end == text.utf8.count)
  }

  @Test
  func `Bytes after the body are not consumed`() throws {
    let decoded = try decode(Array("1\r\na\r\n0\r\n\r\nGET /".utf8), pieces: { $0 })
    #expect(decoded?.end == 11)
  }

  @Test
  func `Every prefix needs more bytes, in any pieces`() throws {
    var random = SeededGenerator.forTest()
    let bytes = Array(
      "3;a=b\r\nabc\r\n1f\r\n0123456789012345678901234567890\r\n0\r\nT: u\r\n\r\n".utf8)
    let whole = try #require(try decode(bytes, pieces: { $0 }))
    #expect(whole.body.count == 34)
    for end in 0..<bytes.count { #expect(try decode(Array(bytes[..<end]), pieces: { $0 }) == nil) }
    #expect(try decode(bytes, pieces: { _ in 1 }) == whole)
    for _ in 0..<100 {
      let split = try decode(bytes, pieces: { Int.random(in: 1...$0, using: &random) })
      #expect(split == whole, "\(random)")
    }
  }

  @Test(arguments: [
    "0x1\r\na\r\n0\r\n\r\n", "+1\r\na\r\n0\r\n\r\n", "-1\r\na\r\n0\r\n\r\n", " 1\r\na\r\n0\r\n\r\n",
    "1 \r\na\r\n0\r\n\r\n", "\r\n", "g\r\n", "1\na\r\n0\r\n\r\n", "1\r\na\n0\r\n\r\n",
    "1\r\nab\r\n", "1\r\na0\r\n\r\n",
    "1\ra", "1;a\rb\r\n", "1;a\nb\r\n", "1;\0\r\n", "0000000000000001\r\n", "ffffffffffffffff\r\n",
    "0\r\n\n",
    "0\r\n\rx", "0\r\nname\r\n\r\n", "0\r\n: x\r\n\r\n", "0\r\n folded\r\n\r\n",
    "0\r\na : b\r\n\r\n",
    "0\r\na: \0\r\n\r\n",
    "0\r\na: b\n\r\n", "0\r\na: b\rc\r\n\r\n",
  ])
  func `Malformed framing is rejected`(text: String) {
    #expect(throws: HTTPParseError.malformedChunk) { try decode(Array(text.utf8), pieces: { $0 }) }
    #expect(throws: HTTPParseError.malformedChunk) {
      try decode(Array(text.utf8), pieces: { _ in 1 })
    }
  }

  @Test
  func `Extensions and trailers have limits over the whole body`() throws {
    let long = String(repeating: "x", count: 100)
    let many = String(repeating: "1;\(long)\r\na\r\n", count: 41) + "0\r\n\r\n"
    #expect(throws: HTTPParseError.tooManyExtensionBytes) {
      try decode(Array(many.utf8), pieces: { $0 })
    }
    let few = String(repeating: "1;\(long)\r\na\r\n", count: 40) + "0\r\n\r\n"
    #expect(try decode(Array(few.utf8), pieces: { $0 })?.body.count == 40)
    let trailers = "0\r\n" + String(repeating: "x: \(long)\r\n", count: 80)
    #expect(throws: HTTPParseError.tooManyTrailerBytes) {
      try decode(Array(trailers.utf8), pieces: { $0 })
    }
  }
}

private struct Decoded: Equatable {
  var body: [UInt8] = []
  var end = 0
}

/// Decodes bytes in pieces, whose lengths the closure chooses; nil if the body is incomplete.
private func decode(_ bytes: [UInt8], pieces: (Int) -> Int) throws(HTTPParseError) -> Decoded? {
  var decoder = ChunkedBodyDecoder()
  var decoded = Decoded()
  while decoded.end < bytes.count {
    let piece = bytes.span.extracting(decoded.end..<decoded.end + pieces(bytes.count - decoded.end))
    var place = 0
    while let part = try decoder.next(in: piece, at: &place) {
      switch part {
      case .data(let range): for index in range { decoded.body.append(piece[index]) }
      case .end:
        decoded.end += place
        return decoded
      }
    }
    decoded.end += place
  }
  return nil
}
