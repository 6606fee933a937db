import HTTPServer
import TestSupport
import Testing

@Suite("Head parser")
struct HTTPHeadParserTests {
  @Test
  func `A head is parsed into its parts`() throws {
    let head = try #require(
      try parseHead(
        "POST /database/1/query?ckAPIToken=a%20b&x HTTP/1.1\r\nHost: example.org:8080\r\nContent-Length: 12\r\n"
          + "X-Empty:\r\nX-Spaces: \t a  b \t\r\n\r\nrest"))
    #expect(head.method == .post)
    #expect(head.path == "/database/1/query")
    #expect(head.query == "ckAPIToken=a%20b&x")
    #expect(head.authority == "example.org:8080")
    #expect(head.version == .http11)
    #expect(head.contentLength == 12)
    #expect(head.headers["x-empty"] == "")
    #expect(head.headers["x-spaces"] == "a  b")
    #expect(head.headers["x-missing"] == nil)
    #expect(head.headers.count == 4)
    #expect(head.headers.all.map(\.name) == ["Host", "Content-Length", "X-Empty", "X-Spaces"])
  }

  @Test
  func `Names are case-insensitive, and repeated fields keep their order`() throws {
    let head = try #require(
      try parseHead(
        "GET / HTTP/1.1\r\nhOsT: a\r\nACCEPT: one\r\naccept: two\r\nAccepts: three\r\n\r\n"))
    #expect(head.headers["accept"] == "one")
    #expect(head.headers.values(of: "accept") == ["one", "two"])
    #expect(head.headers.contains("host"))
    #expect(!head.headers.contains("accep"))
    #expect(head.headers.value(of: "accept", is: "one"))
    #expect(!head.headers.value(of: "accept", is: "two"))
  }

  @Test(arguments: [
    ("GET /a?b?c HTTP/1.1", "/a", "b?c"), ("GET /a? HTTP/1.1", "/a", ""),
    ("GET / HTTP/1.1", "/", nil),
    ("OPTIONS * HTTP/1.1", "*", nil), ("GET http://other:1/x?y HTTP/1.1", "/x", "y"),
    ("GET HTTPS://other/ HTTP/1.1", "/", nil), ("GET /a|b{}\"^ HTTP/1.1", "/a|b{}\"^", nil),
    ("GET //a/../b HTTP/1.1", "//a/../b", nil),
  ])
  func `Every form of target is parsed`(line: String, path: String, query: String?) throws {
    let head = try #require(try parseHead(line + "\r\nHost: a\r\n\r\n"))
    #expect(head.path == path)
    #expect(head.query == query)
  }

  @Test
  func `A target's own authority overrides the Host field`() throws {
    let head = try #require(try parseHead("GET http://other:1/x HTTP/1.1\r\nHost: a\r\n\r\n"))
    #expect(head.authority == "other:1")
  }

  @Test(arguments: [
    ("HTTP/1.1", "", true), ("HTTP/1.1", "Connection: close\r\n", false), ("HTTP/1.0", "", false),
    ("HTTP/1.0", "Connection: Keep-Alive\r\n", true),
    ("HTTP/1.1", "Connection: te , CLOSE\r\n", false),
    ("HTTP/1.1", "Connection: te\r\nConnection: close\r\n", false),
    ("HTTP/1.1", "Connection: closed\r\n", true),
    ("HTTP/1.0", "Connection: keep-alive, close\r\n", false),
    ("HTTP/1.1", "Connection: ,, \r\n", true),
  ])
  func `The head decides if the connection stays open`(
    version: String, fields: String, keepsAlive: Bool
  ) throws {
    let head = try #require(try parse("GET / \(version)\r\nHost: a\r\n\(fields)\r\n"))
    #expect(head.keepsAlive == keepsAlive)
  }

  @Test(arguments: [
    ("HTTP/1.1", "Content-Length: 5\r\n", true), ("HTTP/1.1", "Content-Length: 0\r\n", false),
    ("HTTP/1.0", "Content-Length: 5\r\n", false),
    ("HTTP/1.1", "Transfer-Encoding: chunked\r\n", true),
  ])
  func `Only clients that can read an interim answer and have a body get one`(
    version: String, fields: String, expects: Bool
  ) throws {
    let head = try #require(
      try parse("PUT / \(version)\r\nHost: a\r\nExpect: 100-Continue\r\n\(fields)\r\n"))
    #expect(head.expectsContinue == expects)
  }

  @Test
  func `One empty line before a request is accepted, and two are not`() throws {
    #expect(try parse("\r\nGET / HTTP/1.0\r\n\r\n")?.byteCount == 20)
    #expect(throws: HTTPParseError.malformedRequestLine) {
      try parse("\r\n\r\nGET / HTTP/1.0\r\n\r\n")
    }
  }

  @Test
  func `HTTP 1.0 needs no host`() throws {
    #expect(try parseHead("GET / HTTP/1.0\r\n\r\n")?.authority == "")
  }

  @Test
  func `Every prefix needs more bytes, in any pieces`() throws {
    let text =
      "\r\nPUT /a/b?c=d HTTP/1.1\r\nHost: [::1]:80\r\nTransfer-Encoding: Chunked\r\nExpect: 100-continue\r\n"
      + "User-Agent: x\r\nX: \u{e9}\r\n\r\n"
    let bytes = Array(text.utf8)
    let whole = try #require(try parse(bytes))
    for end in 0..<bytes.count { #expect(try parse(Array(bytes[..<end])) == nil, "\(end) bytes") }
    var parser = HTTPHeadParser()
    for end in 0..<bytes.count { #expect(try parser.parse(bytes.span.extracting(0..<end)) == nil) }
    #expect(try parser.parse(bytes.span) == whole)
  }

  @Test
  func `Any split into any number of pieces gives the same head`() throws {
    var random = SeededGenerator.forTest()
    let bytes = Array(
      "GET /a?b HTTP/1.1\r\nHost: a\r\nA: b\r\nContent-Length: 3\r\n\r\nabcGET / ".utf8)
    let whole = try #require(try parse(bytes))
    for _ in 0..<200 {
      var parser = HTTPHeadParser()
      var end = 0
      var found: ParsedHead?
      while found == nil {
        end = min(bytes.count, end + Int.random(in: 1...9, using: &random))
        found = try parser.parse(bytes.span.extracting(0..<end))
      }
      #expect(found == whole, "\(random)")
    }
  }
}

/// Parses a text; nil if it needs more bytes.
func parse(_ text: String) throws(HTTPParseError) -> ParsedHead? { try parse(Array(text.utf8)) }

func parse(_ bytes: [UInt8]) throws(HTTPParseError) -> ParsedHead? {
  var parser = HTTPHeadParser()
  return try parser.parse(bytes.span)
}

func parseHead(_ text: String) throws(HTTPParseError) -> HTTPRequestHead? {
  let bytes = Array(text.utf8)
  return try parse(bytes).map { HTTPRequestHead($0, of: bytes.span) }
}
