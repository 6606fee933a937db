import HTTPServer
import Testing

@Suite("Connection machine: response bodies")
struct ResponseBodyTests {
  @Test
  func `Parts of unknown length are chunked`() throws {
    var transcript = Transcript()
    transcript.receive(plainRequest)
    try transcript.respond(.ok, ["Content-Type": "text/event-stream"], .parts(length: nil))
    #expect(
      transcript.last == [
        "write “HTTP/1.1 200 OK|Content-Type: text/event-stream|Transfer-Encoding: chunked||”"
      ])
    try transcript.part("hello, world")
    #expect(transcript.last == ["write “c|hello, world|”"])
    try transcript.part("")
    #expect(transcript.last == [])
    transcript.endResponse()
    #expect(transcript.last == ["write “0||”", "arm idle"])
  }

  @Test
  func `Parts of unknown length end with the connection for an old client`() throws {
    var transcript = Transcript()
    transcript.receive("GET / HTTP/1.0\r\nConnection: keep-alive\r\n\r\n")
    try transcript.respond(.ok, [:], .parts(length: nil))
    #expect(transcript.last == ["write “HTTP/1.1 200 OK|Connection: close||”"])
    try transcript.part("x")
    transcript.endResponse()
    transcript.flush()
    #expect(
      transcript.lines.suffix(5) == [
        "part 1", "  write “x”", "response ended", "flushed", "  close",
      ])
  }

  @Test
  func `A part beyond the announced length is rejected, and a shorter one can follow`() throws {
    var transcript = Transcript()
    transcript.receive(plainRequest)
    try transcript.respond(.ok, [:], .parts(length: 3))
    try transcript.part("ab")
    #expect(throws: HTTPWriteError.longerThanAnnounced) { try transcript.part("cd") }
    try transcript.part("c")
    transcript.endResponse()
    #expect(transcript.last == ["arm idle"])
  }

  @Test
  func `A response that ends early is aborted, so that it does not look complete`() throws {
    var transcript = Transcript()
    transcript.receive(plainRequest)
    try transcript.respond(.ok, [:], .parts(length: 3))
    try transcript.part("ab")
    transcript.endResponse()
    #expect(transcript.last == ["cancel handler", "abort"])
    var failed = Transcript()
    failed.receive(plainRequest)
    try failed.respond(.ok, [:], .parts(length: nil))
    failed.failResponse()
    #expect(failed.last == ["cancel handler", "abort"])
  }

  @Test
  func `HEAD gets only the head`() throws {
    var transcript = Transcript()
    transcript.receive("HEAD / HTTP/1.1\r\nHost: a\r\n\r\n")
    try transcript.respond("hello")
    #expect(transcript.last == ["write “HTTP/1.1 200 OK|Content-Length: 5||”", "arm idle"])
    transcript.receive("HEAD / HTTP/1.1\r\nHost: a\r\n\r\n")
    try transcript.respond(.ok, [:], .parts(length: 7))
    try transcript.part("ignored")
    transcript.endResponse()
    #expect(
      transcript.lines.suffix(5) == [
        "respond 200", "  write “HTTP/1.1 200 OK|Content-Length: 7||”", "part 7", "response ended",
        "  arm idle",
      ])
  }

  @Test(arguments: [HTTPStatus.noContent, .notModified])
  func `Responses with statuses without a body have no length`(status: HTTPStatus) throws {
    var transcript = Transcript()
    transcript.receive(plainRequest)
    try transcript.respond(status, [:], .bytes([1, 2]))
    #expect(
      transcript.last == ["write “HTTP/1.1 \(status.rawValue) \(status.reason)||”", "arm idle"])
  }

  @Test
  func `A long body is written separately from its head`() throws {
    var transcript = Transcript()
    transcript.receive(plainRequest)
    try transcript.respond(.ok, [:], .bytes([UInt8](repeating: 0, count: 20_000)))
    #expect(
      transcript.last == [
        "write “HTTP/1.1 200 OK|Content-Length: 20000||”", "write 20000 bytes", "arm idle",
      ])
  }

  @Test(arguments: [
    ("X-A", "a\r\nSet-Cookie: b"), ("X-A", "a\nb"), ("X A", "a"), ("", "a"), ("X-A:", "a"),
    ("X-A", "\0"),
  ])
  func `A malformed header field is rejected, and another response can follow`(
    name: String, value: String
  )
    throws
  {
    var transcript = Transcript()
    transcript.receive(plainRequest)
    var headers: HTTPHeaders = [:]
    headers.append(name, value)
    #expect(throws: HTTPHeaderError(name: name)) {
      try transcript.respond(.ok, headers, .bytes([]))
    }
    let hadResponded = transcript.hasResponded
    #expect(!hadResponded)
    try transcript.respond(.internalServerError, [:], .bytes([]))
    let hasResponded = transcript.hasResponded
    #expect(hasResponded)
  }

  @Test
  func `The server's own header fields replace those of the response`() throws {
    var transcript = Transcript()
    transcript.receive(plainRequest)
    try transcript.respond(
      .ok, ["content-length": "99", "Connection": "close", "Transfer-Encoding": "x", "Vary": "a"],
      .bytes([]))
    #expect(transcript.last.first == "write “HTTP/1.1 200 OK|Vary: a|Content-Length: 0||”")
  }
}
