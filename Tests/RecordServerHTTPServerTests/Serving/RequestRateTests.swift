import CloudRecords
import RecordServer
import RecordServerHTTP
import TestSupport
import Testing

@Suite("Request rates", .blockingThreads, .endsAtAll)
struct RequestRateTests {
  private func run(_ body: (TestService) async throws -> Void) async throws {
    try await TestService.run {
      $0.accounts.requests = AttemptRate(atOnce: 3, secondsForEach: 600)
    } _: { testService in
      try await body(testService)
    }
  }

  @Test func `One user's excess requests are throttled, and no other user's`() async throws {
    try await run { testService in
      let (ada, bob) = (try await testService.user("ada"), try await testService.user("bob"))
      for _ in 0..<3 { #expect(try ada.ask("private", "zones/list").status == 200) }
      let reply = try ada.ask("private", "zones/list")
      #expect(reply.status == 429 && reply.code == "THROTTLED", "\(reply)")
      let wait = try #require(reply["retryAfter"].number)
      #expect((1...600).contains(wait) && reply.fields["retry-after"] == String(Int(wait)))
      // The session continues.
      #expect(reply.fields["x-apple-cloudkit-web-auth-token"] == ada.webToken)
      // Users are hashed to counters: two may share one, but hardly three.
      let eve = try await testService.user("eve")
      #expect(try [bob, eve].contains { try $0.ask("private", "zones/list").status == 200 })
    }
  }

  @Test func `Requests without a user are counted by address`() async throws {
    try await run { testService in
      let clients = try (0..<4).map { _ in try testService.client() }
      for (place, client) in clients.enumerated() {
        #expect(try client.ask("public", "zones/list").status == (place < 3 ? 200 : 429))
      }
      let (ada, bob) = (try await testService.user("ada"), try await testService.user("bob"))
      #expect(try [ada, bob].contains { try $0.ask("private", "zones/list").status == 200 })
    }
  }

  @Test
  func `Rejected requests count for their network and throttle no known user`() async throws {
    try await TestService.run {
      $0.accounts.requests = AttemptRate(atOnce: 8, secondsForEach: 600)
    } _: { testService in
      let ada = try await testService.user("ada")
      #expect(try ada.ask("private", "zones/list").status == 200)
      var stranger = try testService.client()
      stranger.apiToken = String(repeating: "0", count: 64)
      #expect(
        try (0..<2).map { _ in try stranger.ask("public", "zones/list").status } == [401, 401])
      let signed = "X-Apple-CloudKit-Request-KeyID: \(String(repeating: "0", count: 64))\r\n"
      let target = "/database/1/\(stranger.container)/public/zones/list"
      #expect(try (0..<2).map { _ in try stranger.get(target, signed).status } == [401, 401])
      #expect(try (0..<2).map { _ in try stranger.get("/push/wait?token=x").status } == [401, 401])
      let key = "Authorization: Bearer \(String(repeating: "0", count: 64))\r\n"
      #expect(try (0..<2).map { _ in try stranger.get("/metrics", key).status } == [401, 401])
      #expect(try stranger.ask("public", "zones/list").code == "THROTTLED")
      #expect(try stranger.get(target, signed).status == 429)
      #expect(try stranger.get("/push/wait?token=x").status == 429)
      #expect(try stranger.get("/metrics", key).status == 429)
      #expect(try stranger.get("/sign-in?ckAPIToken=\(testService.apiToken)").status == 429)
      #expect(try ada.ask("private", "zones/list").status == 200)
    }
  }

  @Test func `Requests of one IPv6 network are counted together, by every address limit`()
    async throws
  {
    try await TestService.run {
      $0.service.trustsProxy = true
      $0.accounts.requests = AttemptRate(atOnce: 3, secondsForEach: 600)
    } _: { testService in
      let target =
        "/database/1/iCloud.com.example.notes/development/public/zones/list?ckAPIToken=\(testService.apiToken)"
      let client = try testService.client()
      func ask(_ address: String) throws -> Int {
        try client.get(target, "X-Forwarded-For: \(address)\r\n").status
      }
      #expect(
        try ["2001:db8::1", "2001:db8::2", "2001:db8::3:4", "2001:db8::5"].map(ask) == [
          200, 200, 200, 429,
        ])
      #expect(try ["2001:db8:0:1::1", "10.0.0.1", "10.0.0.2"].contains { try ask($0) == 200 })
    }
    try await TestService.run {
      $0.service.trustsProxy = true
      $0.accounts.attemptsByAddress = AttemptRate(atOnce: 2, secondsForEach: 600)
    } _: { testService in
      var statuses: [Int] = []
      for last in 1...3 {
        let browser = try Browser(testService, from: "2001:db8:0:7:\(last)::")
        statuses.append(try browser.send("name=ada&password=wrong+password").status)
      }
      #expect(statuses == [401, 401, 429])
    }
  }

  @Test func `Requests are not counted if no limit is set`() async throws {
    try await TestService.run { testService in
      let ada = try await testService.user("ada")
      for _ in 0..<50 { #expect(try ada.ask("private", "zones/list").status == 200) }
    }
  }
}
