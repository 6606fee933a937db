import CloudRecords
import HTTPServer
import RecordServer
import RecordServerHTTP
import TestSupport
import Testing

@Suite("Requests over sockets", .blockingThreads, .endsAtAll)
struct RequestTests {
  @Test func `A request without a user gets the sign-in URL`() async throws {
    try await TestService.run { testService in
      let client = try testService.client()
      let reply = try client.get(
        "/database/1/\(client.container)/public/users/caller\(client.query)")
      #expect(reply.status == 421)
      #expect(reply.code == "AUTHENTICATION_REQUIRED")
      #expect(
        reply["redirectURL"].text
          == "http://cloud.example/sign-in?ckAPIToken=\(testService.apiToken)")
      #expect(reply["uuid"].text == reply.fields["x-request-id"])
      #expect(reply.fields["x-apple-request-uuid"] == reply.fields["x-request-id"])
      #expect(reply.fields["content-type"] == "application/json; charset=utf-8")
      #expect(reply.fields["cache-control"] == "no-store")
    }
  }

  @Test(arguments: ["http://cloud.example", "https://other.example:8443"])
  func `The sign-in URL uses the host name that the client used`(address: String) async throws {
    try await TestService.run {
      $0.service.publicAddress = address == "http://cloud.example" ? nil : address
    } _: { testService in
      let reply = try testService.client().ask("private", "zones/list")
      #expect(
        reply["redirectURL"].text == "\(address)/sign-in?ckAPIToken=\(testService.apiToken)",
        "\(reply)")
    }
  }

  @Test func `A web token is accepted in the query under both names, or in a header`() async throws
  {
    try await TestService.run { testService in
      let ada = try await testService.user("ada")
      let path = "/database/1/\(ada.container)/public/users/caller"
      let token = try #require(ada.webToken)
      let places = [
        ("\(path)?ckAPIToken=\(testService.apiToken)&ckWebAuthToken=\(token)", ""),
        ("\(path)?ckjsVersion=2&ckSession=\(token)&ckAPIToken=\(testService.apiToken)&dsid=1", ""),
        (
          path,
          "X-Apple-CloudKit-API-Token: \(testService.apiToken)\r\nX-Apple-CloudKit-Web-Auth-Token: \(token)\r\n"
        ),
      ]
      for (target, fields) in places {
        let reply = try ada.get(target, fields)
        #expect(reply.status == 200)
        #expect(reply["users"][0]["userRecordName"].text == ada.userRecordName, "\(reply)")
        #expect(reply.fields["x-apple-cloudkit-web-auth-token"] == token)
      }
    }
  }

  @Test func `Answers and rejections carry the next token`() async throws {
    try await TestService.run {
      $0.accounts.rotationSeconds = 0
    } _: { testService in
      var ada = try await testService.user("ada")
      let first = ada.webToken
      let reply = try ada.ask("private", "zones/list")
      let second = reply.fields["x-apple-cloudkit-web-auth-token"]
      #expect(second != nil && second != first)
      // Requests that were sent before the answer arrived still have the first token.
      #expect(
        try ada.ask("private", "zones/list").fields["x-apple-cloudkit-web-auth-token"] == second)
      ada.webToken = second
      let refusal = try ada.ask("private", "records/query", #"{"query":{}}"#)
      #expect(refusal.status == 400, "\(refusal)")
      let third = refusal.fields["x-apple-cloudkit-web-auth-token"]
      #expect(third != nil && third != second)
    }
  }

  @Test
  func `A rejected API token and an ended session have different errors without details`()
    async throws
  {
    try await TestService.run { testService in
      let other = try await testService.accounts.createAPIToken(
        for: ContainerAddress(container: "iCloud.com.example.other", environment: .development))
      var client = try testService.client()
      var replies: [Reply] = []
      for (api, web, container) in [
        (nil, nil, client.container), ("", nil, client.container), ("ff", nil, client.container),
        (other.text, nil, client.container),
        (testService.apiToken, nil, "iCloud.com.example.missing/development"),
        (testService.apiToken, nil, "iCloud.com.example.notes/production"),
        (testService.apiToken, "abc", client.container),
      ] as [(String?, String?, String)] {
        (client.apiToken, client.webToken, client.container) = (api, web, container)
        replies.append(try client.ask("public", "records/query"))
      }
      #expect(
        replies.allSatisfy { $0.status == 401 && $0.code == "AUTHENTICATION_FAILED" }, "\(replies)")
      #expect(
        replies.map { $0["extensionErrorCode"].text == "API_TOKEN_REFUSED" } == [
          true, true, true, true, true, true, false,
        ])
      #expect(
        replies.prefix(2).allSatisfy { $0["reason"].text?.contains("no API token") == true },
        "\(replies)")
      // The reason does not reveal whether the token is malformed or another container's.
      #expect(Set(replies[2..<4].compactMap { $0["reason"].text }).count == 1)
      #expect(
        replies[5]["reason"].text?.contains("iCloud.com.example.notes in production") == true,
        "\(replies[5])")
      #expect(
        replies.map { $0["redirectURL"].isThere } == [
          false, false, false, false, false, false, true,
        ])
    }
  }

  @Test func `An unknown method or path is an error of the protocol`() async throws {
    try await TestService.run { testService in
      let client = try testService.client()
      let base = "/database/1/\(client.container)"
      let wrong = try client.get("\(base)/public/records/query")
      #expect((wrong.status, wrong.code) == (405, "BAD_REQUEST"))
      #expect(wrong.fields["allow"] == "POST")
      #expect(
        try client.get("\(base)/public/zones/list", method: "DELETE").fields["allow"] == "GET, POST"
      )
      for path in [
        "//", "/nothing", "\(base)/public/records/nothing", "\(base)/secret/records/query",
        "/database/1/a",
      ] {
        let reply = try client.get(path)
        #expect((reply.status, reply.code) == (404, "NOT_FOUND"), "\(path)")
        #expect(reply["reason"].text?.isEmpty == false)
        #expect(reply["uuid"].text == reply.fields["x-request-id"])
      }
    }
  }

  @Test(arguments: [
    "{", "[]", "null", #"{"query":"#, "{\"a\":\"\u{0}\"}", #"{"records":[{"recordName":1}]}"#,
    String(repeating: "[", count: 5_000),
  ])
  func `A malformed body is an error of the protocol`(body: String) async throws {
    try await TestService.run { testService in
      let reply = try await testService.user("ada").ask("private", "records/lookup", body)
      #expect((reply.status, reply.code) == (400, "BAD_REQUEST"))
    }
  }

  @Test func `A body that is too long is rejected, with or without a stated length`() async throws {
    try await TestService.run {
      $0.service.bodyBytes = 1_000
    } _: { testService in
      let body = #"{"x":"\#(String(repeating: "a", count: 1_000))"}"#
      let named = try testService.client().ask("public", "records/query", body)
      #expect((named.status, named.code) == (413, "BAD_REQUEST"))
      #expect(named["extensionErrorCode"].text == "LIMIT_EXCEEDED")
      let client = try testService.client()
      let chunk = "\(String(body.utf8.count, radix: 16))\r\n\(body)\r\n0\r\n\r\n"
      let target = "/database/1/\(client.container)/public/records/query\(client.query)"
      try client.raw.send(
        "POST \(target) HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n\(chunk)")
      #expect(Reply(try client.raw.response()).status == 413)
      #expect(
        try testService.client().ask("public", "records/query", #"{"query":{"recordType":"Note"}}"#)
          .status
          < 500)
    }
  }
}

@Suite("Cross-origin pages", .blockingThreads, .endsAtAll)
struct CrossOriginTests {
  @Test func `Answers allow pages to send requests and to read answers`() async throws {
    try await TestService.run { testService in
      let client = try testService.client()
      let target = "/database/1/\(client.container)/public/records/query"
      let origin = "Origin: https://page.example\r\n"
      let preflight = try client.get(
        target, origin + "Access-Control-Request-Headers: content-type\r\n", method: "OPTIONS")
      #expect(preflight.status == 204)
      #expect(preflight.fields["access-control-allow-origin"] == "https://page.example")
      #expect(preflight.fields["access-control-allow-methods"] == "POST, OPTIONS")
      #expect(preflight.fields["access-control-allow-headers"] == "content-type")
      let answer = try client.post("\(target)\(client.query)", "{}", origin)
      #expect(answer.fields["access-control-allow-origin"] == "https://page.example")
      #expect(
        answer.fields["access-control-expose-headers"]?.contains("X-Apple-CloudKit-Web-Auth-Token")
          == true)
      #expect(answer.fields["vary"] == "Origin")
      // Pages can read the error of an invalid path, too.
      for wrong in [
        "/database/2/x", "/database/1/\(client.container)/public/records/burn", "/nothing",
      ] {
        let missing = try client.post("\(wrong)\(client.query)", "{}", origin)
        #expect(missing.status == 404)
        #expect(missing.fields["access-control-allow-origin"] == "https://page.example", "\(wrong)")
        #expect(try client.get(wrong).fields["access-control-allow-origin"] == nil)
      }
      let plain = try client.get(target, method: "OPTIONS")
      #expect(plain.fields["allow"] == "POST, OPTIONS")
      #expect(plain.fields["access-control-allow-methods"] == nil)
      #expect(try client.get("/health", origin).fields["access-control-allow-origin"] == nil)
    }
  }

  @Test func `Pages can read early rejections, too`() async throws {
    try await TestService.run {
      $0.service.bodyBytes = 1_000
      $0.accounts.requests = AttemptRate(atOnce: 3, secondsForEach: 1_000)
    } _: { testService in
      let client = try testService.client()
      let target = "/database/1/\(client.container)/public/records/query\(client.query)"
      let origin = "Origin: https://page.example\r\n"
      let long = #"{"x":"\#(String(repeating: "a", count: 1_000))"}"#
      let refused = [
        (405, try client.get(target, origin)), (413, try client.post(target, long, origin)),
        (401, try client.post(target + "0", "{}", origin)),
      ]
      for (status, reply) in refused {
        #expect(reply.status == status, "\(reply)")
        #expect(reply.fields["access-control-allow-origin"] == "https://page.example", "\(reply)")
      }
      let held = try (0..<5).map { _ in try client.post(target, "{}", origin) }.last {
        $0.status == 429
      }
      #expect(
        held?.fields["access-control-allow-origin"] == "https://page.example",
        "\(String(describing: held))")
    }
  }

  @Test func `A token for some origins does not work for others`() async throws {
    try await TestService.run { testService in
      let token = try await testService.accounts.createAPIToken(
        for: TestService.container, allowedOrigins: ["https://page.example"])
      var client = try testService.client()
      client.apiToken = token.text
      let target = "/database/1/\(client.container)/public/zones/list\(client.query)"
      #expect(try client.get(target, "Origin: https://page.example\r\n").status != 401)
      #expect(try client.get(target, "Origin: https://evil.example\r\n").status == 401)
      #expect(try client.get(target).status != 401)
    }
  }
}
