import HTTPServer
import RecordServer
import RecordServerHTTP
import TestSupport
import Testing

@Suite("Memory of bodies and answers", .blockingThreads, .endsAtAll)
struct RequestMemoryTests {
  /// Sends the beginning of a body that is never completed.
  private func sendUnfinished(_ client: WebClient, bytes: Int, _ fields: String = "") throws {
    let target = "/database/1/\(client.container)/private/records/query\(client.query)"
    try client.raw.send(
      "POST \(target) HTTP/1.1\r\nHost: a\r\n\(fields)Content-Length: 15000000\r\n\r\n")
    try client.raw.send([UInt8](repeating: 32, count: bytes))
  }

  private func until(_ condition: () -> Bool) async throws {
    try await yields(while: !condition())
  }

  @Test func `One user's unfinished bodies are limited and do not delay another user`() async throws
  {
    try await TestService.run {
      ($0.service.bodyBytes, $0.service.memory.perUser) = (16 << 20, 16 << 20)
    } _: { testService in
      let (ada, bob) = (try await testService.user("ada"), try await testService.user("bob"))
      let memory = testService.server.service.bodyMemory
      var first: WebClient? = ada
      try sendUnfinished(ada, bytes: 10_000_000)
      try await until { memory.held >= 10_000_000 }
      var second = try testService.client()
      second.webToken = ada.webToken
      try sendUnfinished(second, bytes: 7_000_000)
      let refused = Reply(try second.raw.response())
      #expect((refused.status, refused.code) == (429, "THROTTLED"), "\(refused)")
      #expect(refused.fields["retry-after"] == "5")
      try sendUnfinished(bob, bytes: 7_000_000)
      try await until { memory.held >= 17_000_000 }
      first?.raw.finish()
      first = nil
      try await until { memory.held < 10_000_000 }
    }
  }

  @Test
  func `A body that stops arriving ends when another one needs its memory, and can be repeated`()
    async throws
  {
    try await TestService.run {
      $0.service.memory.total = 16 << 20
      ($0.http.timeouts.pacePeriod, $0.http.timeouts.minimalBytesPerPeriod) = (.milliseconds(50), 0)
    } _: { testService in
      let (ada, bob) = (try await testService.user("ada"), try await testService.user("bob"))
      let memory = testService.server.service.bodyMemory
      try sendUnfinished(ada, bytes: 13_000_000)
      try await until { memory.held >= 13_000_000 }
      // Ada's part alone leaves less than a quarter free.
      try sendUnfinished(bob, bytes: 4_000_000)
      let refused = Reply(try bob.raw.response())
      #expect((refused.status, refused.code) == (429, "THROTTLED"), "\(refused)")
      let ended = Reply(try ada.raw.response())
      #expect((ended.status, ended.code) == (408, "TRY_AGAIN_LATER"), "\(ended)")
      #expect(ended.fields["retry-after"] == "1")
      try await until { memory.held == 0 }
      var repeated = try testService.client()
      repeated.webToken = bob.webToken
      try sendUnfinished(repeated, bytes: 4_000_000)
      try await until { memory.held >= 4_000_000 }
      repeated.raw.finish()
    }
  }

  private static let query = #"{"query":{"recordType":"Note"}}"#

  /// Saves notes that fill most of the longest answer.
  private func fill(_ users: [WebClient]) throws {
    let text = String(repeating: "x", count: 900_000)
    for user in users {
      for number in 0..<8 {
        let record =
          #"{"recordName":"\#(number)","recordType":"Note","fields":{"text":{"value":"\#(text)"}}}"#
        let saved = try user.ask(
          "private", "records/modify",
          #"{"operations":[{"operationType":"create","record":\#(record)}]}"#)
        #expect(saved["records"][0]["recordChangeTag"].isThere, "\(saved.status)")
      }
    }
  }

  /// Queries all notes and reads only the head of the answer.
  private func queryWithoutReading(_ user: WebClient, _ testService: TestService) throws
    -> RawClient
  {
    let idle = try RawClient(port: testService.server.socketAddress.port, receiveBuffer: 64 << 10)
    let target = "/database/1/\(user.container)/private/records/query\(user.query)"
    try idle.send(
      "POST \(target) HTTP/1.1\r\nHost: a\r\nContent-Length: \(Self.query.utf8.count)\r\n\r\n\(Self.query)"
    )
    // The head arrives with the first bytes of an answer of seven megabytes.
    #expect(try idle.head().status == 200)
    return idle
  }

  @Test
  func `Answers that a user does not read delay only that user's next ones`() async throws {
    try await TestService.run {
      $0.service.memory.perUser = 8 << 20
      $0.round = .milliseconds(50)
    } _: { testService in
      let (ada, bob) = (try await testService.user("ada"), try await testService.user("bob"))
      try fill([ada, bob])
      let idle = try queryWithoutReading(ada, testService)
      let held = try ada.ask("private", "records/query", Self.query)
      #expect((held.status, held.code) == (429, "THROTTLED"), "\(held.status)")
      #expect(try bob.ask("private", "records/query", Self.query)["records"].count == 8)
      _ = try idle.take(7_200_000)
      idle.finish()
      try await until { testService.server.service.listingMemory.held == 0 }
      #expect(try ada.ask("private", "records/query", Self.query)["records"].count == 8)
    }
  }

  @Test func `Queries that use all their memory leave space for lookups and saves`() async throws {
    try await TestService.run {
      ($0.service.memory.total, $0.service.memory.perUser) = (16 << 20, 8 << 20)
      $0.round = .milliseconds(50)
    } _: { testService in
      let (ada, bob) = (try await testService.user("ada"), try await testService.user("bob"))
      try fill([ada])
      let idle = try queryWithoutReading(ada, testService)
      #expect(try bob.ask("private", "records/query", Self.query).status == 429)
      for user in [ada, bob] {
        #expect(
          try user.ask("private", "records/lookup", #"{"records":[{"recordName":"0"}]}"#).status
            == 200)
      }
      idle.finish()
    }
  }

  @Test
  func `An answer that is not read ends when another one needs its memory, and can be repeated`()
    async throws
  {
    try await TestService.run {
      ($0.service.memory.total, $0.service.memory.perUser) = (16 << 20, 8 << 20)
      $0.round = .milliseconds(50)
      ($0.http.timeouts.pacePeriod, $0.http.timeouts.minimalBytesPerPeriod) = (.milliseconds(50), 0)
    } _: { testService in
      let (ada, bob) = (try await testService.user("ada"), try await testService.user("bob"))
      try fill([ada])
      let idle = try queryWithoutReading(ada, testService)
      #expect(try bob.ask("private", "records/query", Self.query).status == 429)
      try await until { testService.server.service.listingMemory.held == 0 }
      #expect(throws: RawClient.Failure.self) { try idle.take(7_200_000) }
      #expect(try ada.ask("private", "records/query", Self.query)["records"].count == 8)
    }
  }

  @Test func `A user gets at most a quarter of the memory for answers`() async throws {
    try await TestService.run {
      $0.service.memory.total = 64 << 20
    } _: { testService in
      for budget in [
        testService.server.service.answerMemory, testService.server.service.listingMemory,
      ] {
        var leases: [MemoryLease] = []
        for user in 1...4 {
          leases.append(
            try await budget.reserve(.max, for: [.network("10.0.0.\(user)"), .user("\(user)")]))
          #expect(budget.held == user * 8 << 20)
        }
      }
    }
  }

  @Test func `A change needs space only for what its body implies`() async throws {
    try await TestService.run {
      $0.service.memory.total = 16 << 20
      $0.round = .milliseconds(50)
    } _: { testService in
      let ada = try await testService.user("ada")
      func save(_ bytes: Int) throws -> Reply {
        let text = String(repeating: "x", count: bytes)
        let record = #"{"recordType":"Note","fields":{"text":{"value":"\#(text)"}}}"#
        return try ada.ask(
          "private", "records/modify",
          #"{"operations":[{"operationType":"create","record":\#(record)}]}"#)
      }
      // The lease leaves 64 KB and eight bodies of 4 KB of the half for answers.
      let room = (64 << 10) + 8 * (4 << 10)
      let lease = try await testService.server.service.answerMemory.reserve(
        (8 << 20) - room, for: [.network("10.0.0.9")])
      #expect(try save(3 << 10).status == 200)
      #expect(try save(5 << 10).status == 429)
      #expect(
        try ada.ask("private", "records/lookup", #"{"records":[{"recordName":"0"}]}"#).status == 429
      )
      withExtendedLifetime(lease) {}
      #expect(try save(3 << 10).status == 200)
    }
  }
}
