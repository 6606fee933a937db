import HTTPServer
import Testing

@Suite("Connection machine: rejections")
struct RefusalTests {
  @Test
  func `Malformed requests are rejected with a readable answer`() {
    var transcript = Transcript()
    transcript.receive("GET / HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\nmore")
    #expect(
      transcript.text == """
        start
          arm idle
        receive 40
          refuse repeatedHost
          disarm
        """)
    transcript.receive("more")
    transcript.flush()
    #expect(transcript.last == ["finish output", "arm linger"])
    transcript.receive("and more")
    transcript.endInput()
    #expect(transcript.last == ["close"])
  }

  @Test
  func `A client that never stops sending is disconnected`() {
    var transcript = Transcript()
    transcript.receive("nonsense\r\n")
    transcript.flush()
    let much = String(repeating: "x", count: 64 << 10)
    for _ in 0..<63 { transcript.receive(much) }
    #expect(transcript.last == [])
    transcript.receive(much)
    #expect(transcript.last == ["abort"])
  }

  @Test
  func `A rejection after a good request waits for its answer`() throws {
    var transcript = Transcript()
    transcript.receive(plainRequest + "nonsense\r\n")
    #expect(transcript.last == ["begin GET /a with “”", "disarm", "do not read"])
    try transcript.respond("x")
    #expect(transcript.last.count == 3)
    #expect(transcript.last[1] == "refuse malformedRequestLine")
    #expect(transcript.last[2] == "read")
  }

  @Test
  func `A body with an excessive stated length is rejected before it arrives`() {
    var settings = HTTPConnectionMachine.Settings()
    settings.maximumBodyBytes = 10
    var transcript = Transcript(settings: settings)
    transcript.receive("PUT / HTTP/1.1\r\nHost: a\r\nContent-Length: 11\r\n\r\n")
    #expect(transcript.last.first == "refuse bodyTooLong")
  }

  @Test
  func `A shutdown closes idle connections and finishes running requests`() throws {
    var idle = Transcript()
    idle.drain()
    #expect(idle.last == ["disarm", "do not read"])
    idle.flush()
    #expect(idle.last == ["close"])
    var busy = Transcript()
    busy.receive(plainRequest + plainRequest)
    busy.drain()
    #expect(busy.last == [])
    try busy.respond("x")
    #expect(
      busy.last == ["write “HTTP/1.1 200 OK|Content-Length: 1|Connection: close||x”", "read"])
    busy.flush()
    #expect(busy.last == ["finish output", "arm linger"])
    var half = Transcript()
    half.receive("GET /a HTTP/1.1\r\nHost: a\r\n")
    half.drain()
    #expect(half.last == [])
    half.receive("\r\n")
    #expect(half.last == ["begin GET /a with “”", "disarm"])
  }

  @Test
  func `A shutdown after a response's head ends the connection after the response`() throws {
    var transcript = Transcript()
    transcript.receive(plainRequest)
    try transcript.respond(.ok, [:], .parts(length: 1))
    transcript.drain()
    try transcript.part("x")
    transcript.endResponse()
    #expect(transcript.last == [])
    transcript.flush()
    #expect(transcript.last == ["close"])
  }
}
