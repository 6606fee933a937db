import CloudRecords
import RecordServer
import RecordServerHTTP
import TestSupport
import Testing

@Suite("Many requests", .blockingThreads)
struct RequestRateTests {
  private func run(_ body: (Site) async throws -> Void) async throws {
    try await Site.run {
      $0.accounts.requests = AttemptRate(atOnce: 3, secondsForEach: 600)
    } _: { site in
      try await body(site)
    }
  }

  @Test func `Of one user are held up, and nobody else's`() async throws {
    try await run { site in
      let (ada, bob) = (try await site.user("ada"), try await site.user("bob"))
      for _ in 0..<3 { #expect(try ada.ask("private", "zones/list").status == 200) }
      let reply = try ada.ask("private", "zones/list")
      #expect(reply.status == 429 && reply.code == "THROTTLED", "\(reply)")
      let wait = try #require(reply["retryAfter"].number)
      #expect((1...600).contains(wait) && reply.fields["retry-after"] == String(Int(wait)))
      // The session goes on.
      #expect(reply.fields["x-apple-cloudkit-web-auth-token"] == ada.webToken)
      // Two users may by chance share their attempts, but hardly three.
      let eve = try await site.user("eve")
      #expect(try [bob, eve].contains { try $0.ask("private", "zones/list").status == 200 })
    }
  }

  @Test func `Without a user are counted by the address that they come from`() async throws {
    try await run { site in
      let clients = try (0..<4).map { _ in try site.client() }
      for (place, client) in clients.enumerated() {
        #expect(try client.ask("public", "zones/list").status == (place < 3 ? 200 : 429))
      }
      let (ada, bob) = (try await site.user("ada"), try await site.user("bob"))
      #expect(try [ada, bob].contains { try $0.ask("private", "zones/list").status == 200 })
    }
  }

  @Test func `Are not counted where nobody said how many there may be`() async throws {
    try await Site.run { site in
      let ada = try await site.user("ada")
      for _ in 0..<50 { #expect(try ada.ask("private", "zones/list").status == 200) }
    }
  }
}
