import CloudRecords
import RecordServerHTTP
import RecordStorage
import TestSupport
import Testing

@Suite("Operator endpoints", .blockingThreads, .endsAtAll)
struct OperationTests {
  @Test func `Health and readiness are answered without credentials`() async throws {
    try await TestService.run { testService in
      let client = try testService.client()
      #expect(try client.get("/health").text == #"{"status":"ok"}"#)
      #expect(try client.get("/ready").text == #"{"status":"ready"}"#)
      #expect(try client.get("/ready", method: "HEAD").status == 200)
      #expect(try client.post("/health", "").status == 405)
    }
  }

  @Test func `A server without its storage is alive but not ready`() async throws {
    let engine = MemoryStorageEngine()
    try await TestService.run(on: engine) {
      $0.service.report = { _, _ in }
    } _: { testService in
      await engine.close()
      #expect(try testService.client().get("/health").status == 200)
      let reply = try testService.client().get("/ready")
      #expect((reply.status, reply.code) == (503, "TRY_AGAIN_LATER"))
      #expect(reply.fields["retry-after"] == reply["retryAfter"].number.map { "\(Int($0))" })
    }
  }

  @Test func `Metrics are for administrators unless the operator allows others`() async throws {
    try await TestService.run { testService in
      let key = try #require(testService.server.newAdministratorKey)
      let client = try testService.client()
      for fields in ["", "Authorization: Bearer x\r\n", "Authorization: Basic \(key)\r\n"] {
        #expect(try client.get("/metrics", fields).status == 401)
      }
      let reply = try client.get("/metrics", "Authorization: Bearer \(key)\r\n")
      #expect(reply.fields["content-type"]?.hasPrefix("text/plain; version=0.0.4") == true)
      #expect(
        reply.text.contains(#"parhelion_requests_total{operation="metrics",status="401"} 3"#),
        "\(reply)")
      #expect(reply.text.contains("parhelion_connections 1\n"))
      #expect(reply.text.contains("parhelion_waiting_devices 0\n"))
    }
    try await TestService.run {
      $0.service.showsMetrics = true
    } _: { testService in
      let reply = try testService.client().get("/metrics")
      #expect(reply.status == 200)
    }
  }

  @Test func `Only received and sent bytes are counted`() async throws {
    try await TestService.run {
      $0.service.showsMetrics = true
    } _: { testService in
      let (stranger, ada) = (try testService.client(), try await testService.user("ada"))
      let path = "/database/1/\(ada.container)/private/zones/list"
      try stranger.raw.send(
        "POST \(path) HTTP/1.1\r\nHost: a\r\nContent-Length: 1000000\r\n\r\n")
      let refused = try stranger.raw.response()
      #expect(refused.status == 401)
      let chunked = "Host: a\r\nTransfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n0\r\n\r\n"
      try ada.raw.send("POST \(path)\(ada.query) HTTP/1.1\r\n\(chunked)")
      let answered = try ada.raw.response()
      #expect(answered.status == 200)
      #expect(try ada.get("/health", method: "HEAD").status == 200)
      let text = try ada.get("/metrics").text
      #expect(text.contains("parhelion_received_bytes_total 2\n"), "\(text)")
      let sent = refused.body.count + answered.body.count
      #expect(text.contains("parhelion_sent_bytes_total \(sent)\n"), "\(text)")
    }
  }

  @Test func `The log has a line for each request and no secrets`() async throws {
    try await TestService.run {
      $0.service.trustsProxy = true
    } _: { testService in
      let ada = try await testService.user("ada")
      try ada.ask("private", "zones/list")
      try ada.ask("private", "records/query", "nonsense")
      let fields = "X-Forwarded-For: 10.9.9.9, 2001:db8::7\r\nX-Forwarded-Proto: https\r\n"
      let reply = try ada.get(
        "/database/1/\(ada.container)/private/zones/list?ckAPIToken=\(testService.apiToken)", fields
      )
      #expect(reply["redirectURL"].text?.hasPrefix("https://cloud.example/") == true)
      let lines = testService.log.all
      #expect(lines.count == 3)
      #expect(lines.allSatisfy { $0.contains(#""path":"/database/1/\#(ada.container)/private/"#) })
      #expect(
        lines[0].contains(#""user":"\#(ada.userRecordName)""#)
          && lines[0].contains(#""status":200"#))
      #expect(lines[1].contains(#""code":"BAD_REQUEST""#))
      #expect(lines[2].contains(#""remote":"2001:db8::7""#))
      #expect(lines[2].contains(#""request":"\#(reply.fields["x-request-id"] ?? "?")""#))
      for secret in [testService.apiToken, try #require(ada.webToken), TestService.password] {
        #expect(!lines.joined().contains(secret))
      }
      _ = try ada.get("/share/592017e1ec6b9f7c73c9ba109bf2284b", "")
      #expect(
        testService.log.all.last?.contains(#""path":"/share/…""#) == true, "\(testService.log.all)")
    }
  }
}
