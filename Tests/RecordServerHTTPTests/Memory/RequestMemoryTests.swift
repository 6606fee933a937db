import HTTPServer
import RecordServer
import RecordServerHTTP
import TestSupport
import Testing

@Suite("The memory of bodies and answers", .blockingThreads)
struct RequestMemoryTests {
  /// Sends the beginning of a body that has more bytes than come.
  private func sendUnfinished(_ client: WebClient, bytes: Int, _ fields: String = "") throws {
    let target = "/database/1/\(client.container)/private/records/query\(client.query)"
    try client.raw.send("POST \(target) HTTP/1.1\r\nHost: a\r\n\(fields)Content-Length: 15000000\r\n\r\n")
    try client.raw.send([UInt8](repeating: 32, count: bytes))
  }

  private func until(_ condition: () -> Bool) async { while !condition() { await Task.yield() } }

  @Test func `Unfinished bodies of one user are bounded, and do not hold up another user`() async throws {
    try await Site.run {
      ($0.service.bodyBytes, $0.service.memory.perUser) = (16 << 20, 16 << 20)
    } _: { site in
      let (ada, bob) = (try await site.user("ada"), try await site.user("bob"))
      let memory = site.server.service.bodyMemory
      var first: WebClient? = ada
      try sendUnfinished(ada, bytes: 10_000_000)
      await until { memory.held >= 10_000_000 }
      var second = try site.client()
      second.webToken = ada.webToken
      try sendUnfinished(second, bytes: 7_000_000)
      let refused = Reply(try second.raw.response())
      #expect((refused.status, refused.code) == (429, "THROTTLED"), "\(refused)")
      #expect(refused.fields["retry-after"] == "5")
      try sendUnfinished(bob, bytes: 7_000_000)
      await until { memory.held >= 17_000_000 }
      first?.raw.finish()
      first = nil
      await until { memory.held < 10_000_000 }
    }
  }

  @Test func `Answers that one user does not take hold up that user's next ones, until they are taken`() async throws {
    try await Site.run {
      $0.service.memory.perUser = 8 << 20
      $0.round = .milliseconds(50)
    } _: { site in
      let (ada, bob) = (try await site.user("ada"), try await site.user("bob"))
      let text = String(repeating: "x", count: 900_000)
      for user in [ada, bob] {
        for number in 0..<8 {
          let record = #"{"recordName":"\#(number)","recordType":"Note","fields":{"text":{"value":"\#(text)"}}}"#
          let saved = try user.ask(
            "private", "records/modify", #"{"operations":[{"operationType":"create","record":\#(record)}]}"#)
          #expect(saved["records"][0]["recordChangeTag"].isThere, "\(saved.status)")
        }
      }
      let query = #"{"query":{"recordType":"Note"}}"#
      let idle = try RawClient(port: site.server.socketAddress.port, receiveBuffer: 64 << 10)
      let target = "/database/1/\(ada.container)/private/records/query\(ada.query)"
      try idle.send("POST \(target) HTTP/1.1\r\nHost: a\r\nContent-Length: \(query.utf8.count)\r\n\r\n\(query)")
      // The head comes with the first bytes of an answer of seven megabytes.
      #expect(try idle.head().status == 200)
      let held = try ada.ask("private", "records/query", query)
      #expect((held.status, held.code) == (429, "THROTTLED"), "\(held.status)")
      #expect(try bob.ask("private", "records/query", query)["records"].count == 8)
      _ = try idle.take(7_200_000)
      idle.finish()
      await until { site.server.service.answerMemory.held == 0 }
      #expect(try ada.ask("private", "records/query", query)["records"].count == 8)
    }
  }
}
