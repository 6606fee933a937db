import HTTPServer
import RecordServerHTTP
import TestSupport
import Testing

/// Malformed requests get an error of the protocol, like every failed request.
@Suite("Rejections in the protocol's form", .blockingThreads, .endsAtAll)
struct RefusedRequestTests {
  struct Case: Sendable, CustomTestStringConvertible {
    var error: HTTPParseError
    var head: String

    init(_ error: HTTPParseError, _ head: String) {
      (self.error, self.head) = (error, head)
    }

    var testDescription: String { "\(error)" }
  }

  private static let plain = "GET /health HTTP/1.1\r\nHost: a\r\n"

  static let cases = [
    Case(
      .targetTooLong,
      "GET /" + String(repeating: "a", count: 9 << 10) + " HTTP/1.1\r\nHost: a\r\n\r\n"),
    Case(.headTooLong, plain + "X: " + String(repeating: "a", count: 70 << 10) + "\r\n\r\n"),
    Case(.tooManyFields, plain + String(repeating: "a: b\r\n", count: 200) + "\r\n"),
    Case(.malformedRequestLine, "nonsense\r\n\r\n"), Case(.repeatedHost, plain + "Host: b\r\n\r\n"),
    Case(.versionUnsupported, "GET / HTTP/2.0\r\nHost: a\r\n\r\n"),
    Case(.methodUnsupported, "CONNECT a:1 HTTP/1.1\r\nHost: a\r\n\r\n"),
    Case(.expectationUnsupported, plain + "Expect: cake\r\n\r\n"),
    Case(.bodyTooLong, plain + "Content-Length: 99999999999\r\n\r\n"),
  ]

  @Test(arguments: cases)
  func `Bytes that are not a request are a bad request`(refused: Case) async throws {
    try await TestService.run {
      $0.service.showsMetrics = true
    } _: { testService in
      let client = try testService.client()
      try client.raw.send(refused.head)
      let reply = Reply(try client.raw.response())
      #expect(reply.status == refused.error.status.rawValue)
      #expect(reply.code == "BAD_REQUEST", "\(reply)")
      if refused.error == .bodyTooLong {
        #expect(reply["extensionErrorCode"].text == "LIMIT_EXCEEDED")
        #expect(reply["reason"].text?.contains("Send less in one request") == true, "\(reply)")
      } else {
        #expect(reply["reason"].text == refused.error.rawValue)
      }
      expectForm(of: reply)
      // Pages of any origin may read it, because the origin was not checked.
      #expect(reply.fields["access-control-allow-origin"] == "*")
      #expect(reply.fields["access-control-expose-headers"]?.contains("Retry-After") == true)
      try expectRecord(of: reply, at: testService, seenBy: testService.client())
    }
  }

  @Test func `A client with a slow head is asked to retry`() async throws {
    try await TestService.run {
      $0.service.showsMetrics = true
      $0.http.timeouts.head = .milliseconds(100)
    } _: { testService in
      let client = try testService.client()
      try client.raw.send("GET /health HTTP/1.1\r\n")
      let reply = Reply(try client.raw.response())
      #expect(reply.status == 408)
      #expect(reply.code == "TRY_AGAIN_LATER", "\(reply)")
      #expect(reply["retryAfter"].number == 1)
      #expect(reply.fields["retry-after"] == "1")
      expectForm(of: reply)
      // Pages of any origin may read it, because the origin was not checked.
      #expect(reply.fields["access-control-allow-origin"] == "*")
      #expect(reply.fields["access-control-expose-headers"]?.contains("Retry-After") == true)
      try expectRecord(of: reply, at: testService, seenBy: testService.client())
    }
  }

  @Test func `A client with a slow body is asked to retry`() async throws {
    try await TestService.run {
      $0.http.timeouts.pacePeriod = .milliseconds(100)
    } _: { testService in
      let ada = try await testService.user("ada")
      let client = try testService.client()
      let path =
        "/database/1/\(ada.container)/private/records/query?ckAPIToken=\(testService.apiToken)"
      try client.raw.send("POST \(path) HTTP/1.1\r\nHost: a\r\nContent-Length: 100\r\n\r\n{")
      let reply = Reply(try client.raw.response())
      #expect(reply.status == 408)
      #expect(reply.code == "TRY_AGAIN_LATER", "\(reply)")
      #expect(reply["retryAfter"].number == 1)
      #expect(reply.fields["retry-after"] == "1")
      expectForm(of: reply)
      // The head was parsed into a request, which is logged like any other.
      #expect(
        testService.log.all.last?.contains(#""path":"/database/1/"#) == true,
        "\(testService.log.all)")
    }
  }

  @Test func `A connection beyond the limit is asked to retry later`() async throws {
    try await TestService.run {
      $0.http.maximumConnections = 1
      $0.service.showsMetrics = true
    } _: { testService in
      let first = try testService.client()
      #expect(try first.get("/health").status == 200)
      let second = try testService.client()
      try second.raw.send(Self.plain + "\r\n")
      let reply = Reply(try second.raw.response())
      #expect(reply.status == 503)
      #expect(reply.code == "TRY_AGAIN_LATER", "\(reply)")
      #expect(reply["retryAfter"].number == 5)
      #expect(reply.fields["retry-after"] == "5")
      #expect(reply["reason"].text == "The server has too many connections.")
      expectForm(of: reply)
      // Pages of any origin may read it, because the origin was not checked.
      #expect(reply.fields["access-control-allow-origin"] == "*")
      #expect(reply.fields["access-control-expose-headers"]?.contains("Retry-After") == true)
      try expectRecord(of: reply, at: testService, seenBy: first)
    }
  }

  /// Expects the rejection in the log, with the identifier that the client got, and in the metrics.
  private func expectRecord(of reply: Reply, at testService: TestService, seenBy client: WebClient)
    throws
  {
    let identifier = try #require(reply.fields["x-request-id"])
    let line = try #require(
      testService.log.all.first { $0.contains(#""request":"\#(identifier)""#) },
      "\(testService.log.all)")
    #expect(
      line.contains(
        #""status":\#(reply.status),"remote":"127.0.0.1","code":"\#(reply.code ?? "")""#), "\(line)"
    )
    #expect(!line.contains(#""method":"#) && !line.contains(#""microseconds":"#))
    let metrics = try client.get("/metrics").text
    #expect(
      metrics.contains(#"parhelion_refusals_total{status="\#(reply.status)"} 1"#), "\(metrics)")
  }

  /// Expects the members of every error of the protocol.
  private func expectForm(of reply: Reply) {
    #expect(reply.fields["content-type"] == "application/json; charset=utf-8")
    #expect(reply.fields["cache-control"] == "no-store")
    #expect(reply.fields["x-request-id"]?.count == 32)
    #expect(reply["uuid"].text == reply.fields["x-request-id"])
    #expect(reply.fields["x-apple-request-uuid"] == reply.fields["x-request-id"])
  }
}
