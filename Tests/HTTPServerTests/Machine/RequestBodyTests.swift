import HTTPServer
import Testing

@Suite("Connection machine: request bodies")
struct RequestBodyTests {
  private static func put(_ fields: String) -> String {
    "PUT /b HTTP/1.1\r\nHost: a\r\n\(fields)\r\n"
  }

  @Test
  func `A body that arrives with its head begins with the request`() throws {
    var transcript = Transcript()
    transcript.receive(
      Self.put("Content-Length: 3\r\nExpect: 100-continue\r\n") + "abc" + plainRequest)
    #expect(transcript.last == ["begin PUT /b with “abc”", "disarm", "do not read"])
    transcript.demandBody()
    #expect(transcript.last == [])
    try transcript.respond("x")
    #expect(transcript.last.contains("begin GET /a with “”"))
  }

  @Test
  func `A body arrives in the client's pieces`() {
    var transcript = Transcript()
    transcript.receive(Self.put("Content-Length: 6\r\n") + "ab")
    #expect(transcript.last == ["begin PUT /b", "body “ab”", "arm body"])
    transcript.receive("c")
    transcript.receive("def")
    #expect(
      transcript.lines.suffix(6) == [
        "receive 1", "  body “c”", "receive 3", "  body “def”", "  end of body", "  disarm",
      ])
  }

  @Test
  func `Chunks lose their framing`() {
    var transcript = Transcript()
    transcript.receive(Self.put("Transfer-Encoding: chunked\r\n") + "1\r\na\r\n2\r\nb")
    #expect(transcript.last == ["begin PUT /b", "body “ab”", "arm body"])
    transcript.receive("c\r\n0\r\n\r\nGET")
    #expect(transcript.last == ["body “c”", "end of body", "disarm", "do not read"])
  }

  @Test
  func `A client that expects 100-continue gets it when the handler reads, as its timer starts`() {
    var transcript = Transcript()
    transcript.receive(Self.put("Content-Length: 1\r\nExpect: 100-continue\r\n"))
    #expect(transcript.last == ["begin PUT /b", "disarm"])
    transcript.demandBody()
    #expect(transcript.last == ["write “HTTP/1.1 100 Continue||”", "arm body"])
    transcript.demandBody()
    #expect(transcript.last == [])
  }

  @Test
  func `A client that expects 100-continue and is rejected need not send its body`() throws {
    var transcript = Transcript()
    transcript.receive(Self.put("Content-Length: 1\r\nExpect: 100-continue\r\n"))
    try transcript.respond(.unauthorized, [:], .bytes([]))
    #expect(
      transcript.last == ["write “HTTP/1.1 401 Unauthorized|Content-Length: 0|Connection: close||”"]
    )
    transcript.flush()
    #expect(transcript.last == ["finish output", "arm linger"])
  }

  @Test
  func `A slow reader pauses the client`() {
    var transcript = Transcript()
    transcript.receive(Self.put("Content-Length: 1000000\r\n"))
    let piece = String(repeating: "x", count: 64 << 10)
    for _ in 0..<3 { transcript.receive(piece) }
    #expect(transcript.last == ["body 65536 bytes"])
    transcript.receive(piece)
    #expect(transcript.last == ["body 65536 bytes", "disarm", "do not read"])
    transcript.consumeBody(64 << 10)
    #expect(transcript.last == ["arm body", "read"])
  }

  @Test
  func `A slow client is abandoned, and the handler gets the reason`() throws {
    var settings = HTTPConnectionMachine.Settings()
    settings.minimalBodyBytesPerPeriod = 4
    var transcript = Transcript(settings: settings)
    transcript.receive(Self.put("Content-Length: 100\r\n"))
    transcript.receive("abcd")
    transcript.fireTimer()
    #expect(transcript.last == ["arm body"])
    transcript.receive("abc")
    transcript.fireTimer()
    #expect(transcript.last == ["body fails: bodyTooSlow"])
    try transcript.respond(.requestTimeout, [:], .bytes([]))
    #expect(
      transcript.last == [
        "write “HTTP/1.1 408 Request Timeout|Content-Length: 0|Connection: close||”"
      ])
  }

  @Test
  func `While memory is short, a client must send faster`() {
    var settings = HTTPConnectionMachine.Settings()
    (settings.minimalBodyBytesPerPeriod, settings.minimalBodyBytesInShortage) = (4, 8)
    var transcript = Transcript(settings: settings)
    transcript.receive(Self.put("Content-Length: 100\r\n"))
    transcript.receive("12345678")
    transcript.fireTimer(isMemoryShort: true)
    #expect(transcript.last == ["arm body"])
    transcript.receive("1234567")
    transcript.fireTimer()
    #expect(transcript.last == ["arm body"])
    transcript.receive("1234567")
    transcript.fireTimer(isMemoryShort: true)
    #expect(transcript.last == ["body fails: bodyTooSlow"])
  }

  @Test
  func `A malformed chunk fails the body and ends the connection after the answer`() throws {
    var transcript = Transcript()
    transcript.receive(Self.put("Transfer-Encoding: chunked\r\n") + "1\r\na\r\n")
    transcript.receive("0x1\r\n")
    #expect(transcript.last == ["body fails: malformedChunk", "disarm"])
    try transcript.respond(.badRequest, [:], .bytes([]))
    #expect(
      transcript.last == ["write “HTTP/1.1 400 Bad Request|Content-Length: 0|Connection: close||”"])
  }

  @Test
  func `Chunks that are too long together fail the body`() {
    var settings = HTTPConnectionMachine.Settings()
    settings.maximumBodyBytes = 5
    var transcript = Transcript(settings: settings)
    transcript.receive(Self.put("Transfer-Encoding: chunked\r\n") + "5\r\nabcde\r\n")
    #expect(transcript.last == ["begin PUT /b", "body “abcde”", "arm body"])
    transcript.receive("1\r\nf\r\n")
    #expect(transcript.last == ["body fails: bodyTooLong", "disarm"])
  }

  @Test
  func `A client that disconnects during its body fails it`() {
    var transcript = Transcript()
    transcript.receive(Self.put("Content-Length: 2\r\n") + "a")
    transcript.endInput()
    #expect(
      transcript.last == ["body fails: clientLeft", "cancel handler", "disarm", "do not read"])
  }

  @Test
  func `After an early answer the client may finish its body for a while`() throws {
    var transcript = Transcript()
    transcript.receive(Self.put("Content-Length: 100000\r\n") + "a")
    try transcript.respond(.contentTooLarge, [:], .bytes([]))
    #expect(
      transcript.last == [
        "write “HTTP/1.1 413 Content Too Large|Content-Length: 0|Connection: close||”", "disarm",
      ])
    transcript.receive("more")
    transcript.flush()
    #expect(transcript.last == ["finish output", "arm linger"])
    transcript.receive("more")
    #expect(transcript.last == [])
    transcript.endInput()
    #expect(transcript.last == ["close"])
  }
}
