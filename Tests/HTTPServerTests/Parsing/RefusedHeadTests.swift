import HTTPServer
import Testing

/// Heads that two parsers could understand differently are rejected, each for a named reason.
@Suite("Rejected heads")
struct RefusedHeadTests {
  private static let plain = "GET / HTTP/1.1\r\nHost: a\r\n"

  static let cases: [(HTTPParseError, String)] = [
    (.ambiguousLength, plain + "Content-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n"),
    (.ambiguousLength, plain + "Transfer-Encoding: chunked\r\nContent-Length: 5\r\n\r\n"),
    (.ambiguousLength, plain + "Content-Length: 0\r\nTransfer-Encoding: chunked\r\n\r\n"),
    (.repeatedContentLength, plain + "Content-Length: 5\r\nContent-Length: 6\r\n\r\n"),
    (.repeatedContentLength, plain + "Content-Length: 5\r\nContent-Length: 5\r\n\r\n"),
    (.malformedContentLength, plain + "Content-Length: 5, 5\r\n\r\n"),
    (.malformedContentLength, plain + "Content-Length: +1\r\n\r\n"),
    (.malformedContentLength, plain + "Content-Length: -1\r\n\r\n"),
    (.malformedContentLength, plain + "Content-Length: 0x1\r\n\r\n"),
    (.malformedContentLength, plain + "Content-Length: 1 1\r\n\r\n"),
    (.malformedContentLength, plain + "Content-Length:\r\n\r\n"),
    (.malformedContentLength, plain + "Content-Length: 1000000000000000000\r\n\r\n"),
    (
      .malformedTransferEncoding,
      plain + "Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n\r\n"
    ),
    (.malformedTransferEncoding, "GET / HTTP/1.0\r\nTransfer-Encoding: chunked\r\n\r\n"),
    (.transferEncodingUnsupported, plain + "Transfer-Encoding: chunked, chunked\r\n\r\n"),
    (.transferEncodingUnsupported, plain + "Transfer-Encoding: gzip, chunked\r\n\r\n"),
    (.transferEncodingUnsupported, plain + "Transfer-Encoding: identity\r\n\r\n"),
    (.transferEncodingUnsupported, plain + "Transfer-Encoding: \u{e9}chunked\r\n\r\n"),
    (.transferEncodingUnsupported, plain + "Transfer-Encoding:\r\n\r\n"),
    (.malformedFieldName, plain + "Content-Length : 5\r\n\r\n"),
    (.malformedFieldName, plain + "Content-Length\t: 5\r\n\r\n"),
    (.malformedFieldName, plain + ": value\r\n\r\n"),
    (.malformedFieldName, plain + "no colon\r\n\r\n"),
    (.malformedFieldName, plain + "na\u{e9}me: value\r\n\r\n"),
    (.malformedFieldName, plain + "a\0b: value\r\n\r\n"),
    (.malformedFieldName, plain + "a\rb: value\r\n\r\n"),
    (.malformedLineEnd, plain + "X: a\rb\r\n\r\n"),
    (.malformedLineEnd, plain + "X: a\r\r\n\r\n"),
    (.malformedFieldValue, plain + "X: a\0b\r\n\r\n"),
    (.malformedFieldValue, plain + "X: a\u{7f}b\r\n\r\n"),
    (.malformedFieldValue, plain + "X: a\u{b}b\r\n\r\n"),
    (.malformedLineEnd, "GET / HTTP/1.1\nHost: a\n\n"),
    (.malformedLineEnd, plain + "X: a\nY: b\r\n\r\n"),
    (.malformedLineEnd, plain + "\n"),
    (.malformedLineEnd, "\nGET / HTTP/1.1\r\n"),
    (.foldedField, plain + "X: a\r\n b\r\n\r\n"),
    (.foldedField, plain + "X: a\r\n\tb\r\n\r\n"),
    (.foldedField, "GET / HTTP/1.1\r\n Host: a\r\n\r\n"),
    (.missingHost, "GET / HTTP/1.1\r\n\r\n"),
    (.missingHost, "GET http://a/ HTTP/1.1\r\n\r\n"),
    (.repeatedHost, plain + "Host: a\r\n\r\n"),
    (.repeatedHost, plain + "host: b\r\n\r\n"),
    (.malformedHost, "GET / HTTP/1.1\r\nHost:\r\n\r\n"),
    (.malformedHost, "GET / HTTP/1.1\r\nHost: a b\r\n\r\n"),
    (.malformedHost, "GET / HTTP/1.1\r\nHost: a,b\r\n\r\n"),
    (.malformedHost, "GET / HTTP/1.1\r\nHost: a/b\r\n\r\n"),
    (.malformedHost, "GET / HTTP/1.1\r\nHost: user@a\r\n\r\n"),
    (.malformedRequestLine, "GET /\r\nHost: a\r\n\r\n"),
    (.malformedRequestLine, "GET  / HTTP/1.1\r\nHost: a\r\n\r\n"),
    (.malformedRequestLine, "GET / HTTP/1.1 \r\nHost: a\r\n\r\n"),
    (.malformedRequestLine, "GET / http/1.1\r\nHost: a\r\n\r\n"),
    (.malformedRequestLine, "GET / HTTP/11\r\nHost: a\r\n\r\n"),
    (.malformedRequestLine, "GET / HTTP/1.10\r\nHost: a\r\n\r\n"),
    (.malformedRequestLine, "G@T / HTTP/1.1\r\nHost: a\r\n\r\n"),
    (.malformedRequestLine, " GET / HTTP/1.1\r\nHost: a\r\n\r\n"),
    (.malformedRequestLine, "\u{16}\u{3}\u{1}"),
    (.malformedTarget, "GET /a\tb HTTP/1.1\r\nHost: a\r\n\r\n"),
    (.malformedTarget, "GET /a\rb HTTP/1.1\r\nHost: a\r\n\r\n"),
    (.malformedTarget, "GET /a\0b HTTP/1.1\r\nHost: a\r\n\r\n"),
    (.malformedTarget, "GET /\u{e9} HTTP/1.1\r\nHost: a\r\n\r\n"),
    (.malformedTarget, "GET /a#b HTTP/1.1\r\nHost: a\r\n\r\n"),
    (.malformedTarget, "GET a HTTP/1.1\r\nHost: a\r\n\r\n"),
    (.malformedTarget, "GET * HTTP/1.1\r\nHost: a\r\n\r\n"),
    (.malformedTarget, "GET ftp://a/ HTTP/1.1\r\nHost: a\r\n\r\n"),
    (.malformedTarget, "GET http:///a HTTP/1.1\r\nHost: a\r\n\r\n"),
    (.malformedTarget, "GET http://user@a/ HTTP/1.1\r\nHost: a\r\n\r\n"),
    (.methodUnsupported, "CONNECT a:1 HTTP/1.1\r\nHost: a\r\n\r\n"),
    (.methodUnsupported, "ABCDEFGHIJKLMNOPQRSTUVWXY / HTTP/1.1\r\nHost: a\r\n\r\n"),
    (.versionUnsupported, "GET / HTTP/2.0\r\nHost: a\r\n\r\n"),
    (.versionUnsupported, "GET / HTTP/1.2\r\nHost: a\r\n\r\n"),
    (.versionUnsupported, "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"),
    (.versionUnsupported, "GET / HTTP/0.9\r\nHost: a\r\n\r\n"),
    (.expectationUnsupported, plain + "Expect: 200-ok\r\n\r\n"),
    (.tooManyFields, plain + String(repeating: "a: b\r\n", count: 100) + "\r\n"),
    (.tooManyFields, plain + String(repeating: "a: b\r\n", count: 10_000) + "\r\n"),
    (.headTooLong, plain + "X: " + String(repeating: "a", count: 1 << 20) + "\r\n\r\n"),
    (.headTooLong, plain + "X: " + String(repeating: "a", count: 1 << 20)),
    (
      .targetTooLong,
      "GET /" + String(repeating: "a", count: 8 << 10) + " HTTP/1.1\r\nHost: a\r\n\r\n"
    ),
    (.targetTooLong, "GET /" + String(repeating: "a", count: 9 << 10)),
    (.targetTooLong, String(repeating: "a", count: 1 << 20)),
  ]

  @Test(arguments: cases)
  func `Each malformed head is rejected with its reason`(error: HTTPParseError, text: String) {
    #expect(throws: error) { try parse(text) }
  }

  @Test(arguments: cases)
  func `A malformed head has the same reason byte by byte`(
    error: HTTPParseError, text: String
  ) {
    let bytes = Array(text.utf8.prefix(80 << 10))
    #expect(throws: error) {
      var parser = HTTPHeadParser()
      for end in 1...bytes.count {
        if try parser.parse(bytes.span.extracting(0..<end)) != nil { return }
      }
    }
  }

  @Test
  func `Heads at the limits are accepted`() throws {
    #expect(
      try parse(Self.plain + String(repeating: "a: b\r\n", count: 99) + "\r\n")?.fields.count == 100
    )
    let longest =
      "GET /" + String(repeating: "a", count: (8 << 10) - 1) + " HTTP/1.1\r\nHost: a\r\n"
    #expect(try parse(longest + "\r\n")?.path.count == 8 << 10)
    let rest = (64 << 10) - Self.plain.utf8.count - "X: \r\n\r\n".utf8.count
    #expect(
      try parse(Self.plain + "X: " + String(repeating: "a", count: rest) + "\r\n\r\n")?.byteCount
        == 64 << 10)
    #expect(throws: HTTPParseError.headTooLong) {
      try parse(Self.plain + "X: " + String(repeating: "a", count: rest + 1) + "\r\n\r\n")
    }
    #expect(
      try parse(Self.plain + "Content-Length: 999999999999999999\r\n\r\n")?.framing
        == .length(999_999_999_999_999_999))
  }

  @Test
  func `Every parse error has an error status`() {
    for error in HTTPParseError.allCases {
      #expect((400...599).contains(error.status.rawValue))
    }
    let statuses: [HTTPParseError: Int] = [
      .targetTooLong: 414, .tooManyFields: 431, .headTooLong: 431, .bodyTooLong: 413,
      .versionUnsupported: 505,
      .methodUnsupported: 501, .transferEncodingUnsupported: 501, .expectationUnsupported: 417,
      .headTooSlow: 408,
      .bodyTooSlow: 408, .missingHost: 400,
    ]
    for (error, status) in statuses { #expect(error.status.rawValue == status) }
  }
}
