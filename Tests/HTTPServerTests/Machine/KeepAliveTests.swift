import HTTPServer
import Testing

@Suite("Connection machine: keep-alive")
struct KeepAliveTests {
  @Test
  func `After an answer the connection waits for the next request`() throws {
    var transcript = Transcript()
    transcript.receive(plainRequest)
    try transcript.respond("hello")
    #expect(
      transcript.text == """
        start
          arm idle
        receive 28
          begin GET /a with “”
          disarm
        respond 200
          write “HTTP/1.1 200 OK|Content-Length: 5||hello”
          arm idle
        """)
  }

  @Test
  func `Pipelined requests wait for each other, and reading pauses meanwhile`() throws {
    var transcript = Transcript()
    transcript.receive(plainRequest + "GET /b HTTP/1.1\r\nHost: a\r\n\r\nGET /c")
    #expect(transcript.last == ["begin GET /a with “”", "disarm", "do not read"])
    try transcript.respond("1")
    #expect(
      transcript.last == ["write “HTTP/1.1 200 OK|Content-Length: 1||1”", "begin GET /b with “”"])
    try transcript.respond("2")
    #expect(
      transcript.last == ["write “HTTP/1.1 200 OK|Content-Length: 1||2”", "arm head", "read"])
    transcript.receive(" HTTP/1.1\r\nHost: a\r\n\r\n")
    #expect(transcript.last == ["begin GET /c with “”", "disarm"])
  }

  @Test
  func `Bytes that arrive during an answer pause reading`() throws {
    var transcript = Transcript()
    transcript.receive(plainRequest)
    transcript.receive("GET")
    #expect(transcript.last == ["do not read"])
    try transcript.respond("")
    #expect(transcript.last == ["write “HTTP/1.1 200 OK|Content-Length: 0||”", "arm head", "read"])
  }

  @Test(arguments: [
    ("HTTP/1.1", "", true, ""), ("HTTP/1.1", "Connection: close\r\n", false, "Connection: close|"),
    ("HTTP/1.0", "", false, "Connection: close|"),
    ("HTTP/1.0", "Connection: keep-alive\r\n", true, "Connection: keep-alive|"),
  ])
  func `The connection stays open if the client wants it`(
    version: String, fields: String, stays: Bool, answered: String
  ) throws {
    var transcript = Transcript()
    transcript.receive("GET / \(version)\r\nHost: a\r\n\(fields)\r\n")
    try transcript.respond("x")
    #expect(transcript.last.first == "write “HTTP/1.1 200 OK|Content-Length: 1|\(answered)|x”")
    #expect(transcript.last.dropFirst() == (stays ? ["arm idle"] : []))
    transcript.flush()
    #expect(transcript.last == (stays ? [] : ["close"]))
  }

  @Test
  func `A client that disconnects between requests is released`() {
    var transcript = Transcript()
    transcript.endInput()
    #expect(transcript.last == ["disarm", "do not read"])
    transcript.flush()
    #expect(transcript.last == ["close"])
    transcript.receive(plainRequest)
    transcript.fireTimer()
    transcript.lose()
    transcript.drain()
    #expect(transcript.lines.suffix(4) == ["receive 28", "timer", "lost", "drain"])
  }

  @Test
  func `A disconnection during an answer cancels the handler; its answer is still written`()
    throws
  {
    var transcript = Transcript()
    transcript.receive(plainRequest)
    transcript.endInput()
    #expect(transcript.last == ["cancel handler", "do not read"])
    try transcript.respond("late")
    #expect(
      transcript.last == ["write “HTTP/1.1 200 OK|Content-Length: 4|Connection: close||late”"])
    transcript.flush()
    #expect(transcript.last == ["close"])
  }

  @Test(arguments: [true, false])
  func `A response that is still being written is written to its end`(isShutdown: Bool) throws {
    var transcript = Transcript()
    transcript.receive(plainRequest)
    try transcript.respond("much")
    if isShutdown { transcript.drain() } else { transcript.endInput() }
    #expect(transcript.last == ["disarm", "do not read"])
    transcript.receive(plainRequest)
    #expect(transcript.last == [])
    transcript.flush()
    #expect(transcript.last == ["close"])
  }

  @Test
  func `A failed socket cancels the handler and aborts the connection`() throws {
    var transcript = Transcript()
    transcript.receive(plainRequest)
    transcript.lose()
    #expect(transcript.last == ["cancel handler", "abort"])
    try transcript.respond("nobody")
    #expect(transcript.last == [])
    #expect(throws: HTTPWriteError.clientLeft) { try transcript.part("nobody") }
  }

  @Test
  func `The idle timer closes the connection, and a client with a slow head gets an error`() {
    var transcript = Transcript()
    transcript.fireTimer()
    #expect(transcript.last == ["close"])
    var slow = Transcript()
    slow.receive("G")
    #expect(slow.last == ["arm head"])
    slow.receive("ET")
    #expect(slow.last == [])
    slow.fireTimer()
    #expect(slow.last.first == "refuse headTooSlow")
    slow.flush()
    #expect(slow.last == ["finish output", "arm linger"])
    slow.fireTimer()
    #expect(slow.last == ["close"])
  }
}
