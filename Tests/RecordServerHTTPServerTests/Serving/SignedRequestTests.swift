import CloudRecords
import RecordServer
import RecordServerHTTP
import TestSupport
import Testing

@Suite("Signed requests", .blockingThreads, .endsAtAll)
struct SignedRequestTests {
  private static let save =
    #"{"operations":[{"operationType":"create","record":{"recordType":"Note","recordName":"n","fields":{}}}]}"#
    + "\n"

  @Test func `A signature covers the path with or without its query, and the body as sent`()
    async throws
  {
    try await TestService.run { testService in
      let server = try await SigningProgram(testService)
      let target = "\(server.path)/records/modify"
      let plain = server.fields { "\($0):\(SigningProgram.hash(Self.save)):\(target)" }
      let first = try server.client.post(target, Self.save, plain)
      #expect(
        first["records"][0]["created"]["userRecordName"].text == server.userRecordName, "\(first)")
      #expect(first.fields["x-apple-cloudkit-web-auth-token"] == nil)
      let query = "\(target)?remapEnums=true"
      let second = try server.client.post(
        query, Self.save, server.fields { "\($0):\(SigningProgram.hash(Self.save)):\(query)" })
      #expect(second["records"][0]["serverErrorCode"].text == "EXISTS", "\(second)")
    }
  }

  @Test func `A signed change is carried out once, and again with a new signature`() async throws {
    try await TestService.run { testService in
      let server = try await SigningProgram(testService)
      let target = "\(server.path)/records/modify"
      let body =
        #"{"operations":[{"operationType":"create","record":{"recordType":"Note","fields":{}}}]}"#
      let fields = server.fields { "\($0):\(SigningProgram.hash(body)):\(target)" }
      #expect(try server.client.post(target, body, fields)["records"][0]["recordName"].isThere)
      for _ in 0..<2 {
        let again = try server.client.post(target, body, fields)
        #expect((again.status, again.code) == (401, "AUTHENTICATION_FAILED"), "\(again)")
        #expect(again["reason"].text?.contains("sign it again") == true)
      }
      #expect(try server.post("records/modify", body)["records"][0]["recordName"].isThere)
      let query = #"{"query":{"recordType":"Note"}}"#
      let asking = "\(server.path)/records/query"
      let reading = server.fields { "\($0):\(SigningProgram.hash(query)):\(asking)" }
      for _ in 0..<3 {
        #expect(try server.client.post(asking, query, reading)["records"].count == 2)
      }
    }
  }

  @Test func `A throttled request can be sent again with the same signature`() async throws {
    try await TestService.run {
      $0.accounts.requests = AttemptRate(atOnce: 2, secondsForEach: 3)
    } _: { testService in
      let server = try await SigningProgram(testService)
      let target = "\(server.path)/records/modify"
      let body = #"{"operations":[]}"#
      var (fields, reply): (String, Reply)
      repeat {
        fields = server.fields { "\($0):\(SigningProgram.hash(body)):\(target)" }
        reply = try server.client.post(target, body, fields)
      } while reply.status == 200
      #expect(reply.code == "THROTTLED", "\(reply)")
      while reply.code == "THROTTLED" { reply = try server.client.post(target, body, fields) }
      #expect(reply.status == 200, "\(reply)")
    }
  }

  @Test func `A bad head is rejected before the body is sent`() async throws {
    try await TestService.run { testService in
      let server = try await SigningProgram(testService)
      let target = "\(server.path)/records/modify"
      let good = server.fields { "\($0)::\(target)" }
      let unknownKey = good.replacing(server.identifier, with: String(repeating: "0", count: 64))
      let oldDate = good.replacing(#/Date: [^\r]+/#, with: "Date: 2020-01-01T00:00:00Z")
      let noSignature = good.replacing(#/V1: [^\r]+/#, with: "V1: bm8gc2lnbmF0dXJl")
      let oneField = "X-Apple-CloudKit-Request-SignatureV1: x\r\n"
      for fields in [unknownKey, oldDate, noSignature, oneField] {
        let client = try testService.client()
        try client.raw.send(
          "POST \(target) HTTP/1.1\r\nHost: a\r\nContent-Length: 10000000\r\n\(fields)\r\n")
        let reply = Reply(try client.raw.response())
        #expect((reply.status, reply.code) == (401, "AUTHENTICATION_FAILED"), "\(reply)")
        #expect(reply.fields["connection"] == "close")
      }
      #expect(testService.server.service.bodyMemory.held == 0)
    }
  }

  @Test(arguments: ["", SigningProgram.hash("")])
  func `A request without a body has the hash of no bytes, or no hash`(hash: String) async throws {
    try await TestService.run { testService in
      let server = try await SigningProgram(testService)
      let target = "\(server.path)/zones/list"
      #expect(
        try server.client.get(target, server.fields { "\($0):\(hash):\(target)" }).status == 200)
    }
  }

  @Test
  func `Another body, an API token with the key, and users' databases are rejected`() async throws {
    try await TestService.run { testService in
      let server = try await SigningProgram(testService)
      let target = "\(server.path)/records/modify"
      let fields = server.fields { "\($0):\(SigningProgram.hash(Self.save)):\(target)" }
      #expect(
        try server.client.post(target, Self.save + " ", fields).code == "AUTHENTICATION_FAILED")
      #expect(try server.client.post(target + server.client.query, Self.save, fields).status == 401)
      let one = fields.split(separator: "\r\n").prefix(1).joined() + "\r\n"
      #expect(try server.client.post(target, Self.save, one).status == 401)
      let own = "/database/1/\(server.client.container)/private/zones/list"
      let reply = try server.client.get(own, server.fields { "\($0)::\(own)" })
      #expect((reply.status, reply.code) == (403, "ACCESS_DENIED"))
    }
  }
}
