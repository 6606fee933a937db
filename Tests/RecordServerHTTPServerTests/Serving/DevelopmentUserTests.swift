import CloudRecords
import Foundation
import HTTPServer
import RecordServer
import RecordServerHTTP
import TestSupport
import Testing

@Suite("Development users", .blockingThreads, .endsAtAll)
struct DevelopmentUserTests {
  private static let notes = "/database/1/iCloud.com.example.notes/development"
  private static let field = "X-Parhelion-Development-User"

  /// Sends a request as a development user over a separate connection.
  private func ask(
    _ testService: TestService, _ target: String, _ body: String = "{}", as user: String = "ada",
    host: String = "127.0.0.1:8080",
    fields: [String] = []
  ) throws -> Reply {
    let raw = try RawClient(port: testService.server.socketAddress.port)
    let lines =
      ["Host: \(host)", "Content-Length: \(body.utf8.count)", "\(Self.field): \(user)"] + fields
    try raw.send("POST \(target) HTTP/1.1\r\n\(lines.joined(separator: "\r\n"))\r\n\r\n\(body)")
    return Reply(try raw.response())
  }

  private func save(_ name: String) -> String {
    #"{"operations":[{"operationType":"create","record":{"recordName":"\#(name)","recordType":"Note","fields":{}}}]}"#
  }

  private let all = #"{"query":{"recordType":"Note"}}"#

  private func names(_ reply: Reply) -> [String] {
    reply["records"].list.compactMap { $0["recordName"].text }.sorted()
  }

  @Test func `The first request creates the container and the user, and two words are two users`()
    async throws
  {
    try await TestService.run {
      $0.wantsDevelopmentUsers = true
    } _: { testService in
      let base = "/database/1/iCloud.com.example.new/development"
      #expect(try ask(testService, "\(base)/private/records/modify", save("a")).status == 200)
      #expect(
        try ask(testService, "\(base)/private/records/modify", save("b"), as: "bob").status == 200)
      #expect(try names(ask(testService, "\(base)/private/records/query", all)) == ["a"])
      // The case does not matter, as in all names of accounts.
      #expect(try names(ask(testService, "\(base)/private/records/query", all, as: "ADA")) == ["a"])
      #expect(try names(ask(testService, "\(base)/private/records/query", all, as: "bob")) == ["b"])
      #expect(try ask(testService, "\(base)/public/records/modify", save("c")).status == 200)
      #expect(try names(ask(testService, "\(base)/public/records/query", all, as: "bob")) == ["c"])
      let callers = try ["ada", "bob"].map {
        try ask(testService, "\(base)/public/users/caller", as: $0)
      }
      let records = callers.compactMap { $0["users"][0]["userRecordName"].text }
      #expect(Set(records).count == 2, "\(callers)")
      #expect(
        callers.map { $0["users"][0]["nameComponents"]["givenName"].text } == ["ada", "bob"],
        "\(callers)")
      #expect(callers.allSatisfy { $0.fields["x-apple-cloudkit-web-auth-token"] == nil })
      #expect(
        try await testService.accounts.accounts().map(\.name) == [
          "ada@development.invalid", "bob@development.invalid",
        ])
    }
  }

  @Test func `One user finds another by address`() async throws {
    try await TestService.run {
      $0.wantsDevelopmentUsers = true
    } _: { testService in
      #expect(try ask(testService, "\(Self.notes)/private/zones/list", as: "bob").status == 200)
      let found = try ask(
        testService, "\(Self.notes)/public/users/discover",
        #"{"lookupInfos":[{"emailAddress":"bob@development.invalid"}]}"#)
      #expect(found["users"][0]["userRecordName"].text?.isEmpty == false, "\(found)")
    }
  }

  @Test(arguments: [
    "localhost", "localhost:1", "LOCALHOST:8080", "127.0.0.1", "127.0.0.2:80", "[::1]",
    "[::1]:8080",
  ])
  func `A host name of this machine is accepted`(host: String) async throws {
    try await TestService.run {
      $0.wantsDevelopmentUsers = true
    } _: { testService in
      let reply = try ask(testService, "\(Self.notes)/private/zones/list", host: host)
      #expect(reply.status == 200, "\(reply)")
    }
  }

  /// A page whose host name was resolved to this machine uses that name in its requests.
  @Test(arguments: [
    "cloud.example", "cloud.example:8080", "127.0.0.1.example", "localhost.example:80",
    "192.168.1.2", "[::2]:8080",
    "0.0.0.0:8080", "127.0.0.1:80:80", "a:127.0.0.1",
  ])
  func `Another host name is rejected`(host: String) async throws {
    try await TestService.run {
      $0.wantsDevelopmentUsers = true
    } _: { testService in
      let reply = try ask(
        testService, "\(Self.notes)/private/records/modify", save("a"), host: host)
      #expect(reply.status == 403 && reply.code == "ACCESS_DENIED", "\(reply)")
      #expect(reply["reason"].text?.contains("localhost") == true)
      #expect(try await testService.accounts.accounts().isEmpty)
    }
  }

  @Test(arguments: [
    "Origin: http://127.0.0.1:8080", "Origin: https://page.example", "Origin: null",
    "X-Forwarded-For: 10.0.0.1",
    "Forwarded: for=10.0.0.1", "Via: 1.1 proxy", "X-Real-IP: 10.0.0.1", "X-Forwarded-Host: a",
  ])
  func `Pages in a browser and proxied requests are rejected`(field: String) async throws {
    try await TestService.run {
      $0.wantsDevelopmentUsers = true
    } _: { testService in
      let reply = try ask(
        testService, "\(Self.notes)/private/records/modify", save("a"), fields: [field])
      #expect(reply.status == 403 && reply.code == "ACCESS_DENIED", "\(reply)")
      #expect(try await testService.accounts.accounts().isEmpty)
    }
  }

  @Test func `No preflight answer allows a page to send the header`() async throws {
    try await TestService.run {
      $0.wantsDevelopmentUsers = true
    } _: { testService in
      let raw = try RawClient(port: testService.server.socketAddress.port)
      try raw.send(
        "OPTIONS \(Self.notes)/private/records/modify HTTP/1.1\r\nHost: 127.0.0.1\r\nOrigin: https://page.example\r\nAccess-Control-Request-Headers: content-type, x-parhelion-development-user\r\n\r\n"
      )
      let reply = Reply(try raw.response(hasBody: false))
      #expect(reply.fields["access-control-allow-headers"] == "content-type", "\(reply.fields)")
    }
  }

  @Test func `The production environment is rejected`() async throws {
    try await TestService.run {
      $0.wantsDevelopmentUsers = true
    } _: { testService in
      for operation in ["private/zones/list", "public/users/caller", "tokens/create"] {
        let reply = try ask(
          testService, "/database/1/iCloud.com.example.notes/production/\(operation)")
        #expect(reply.status == 403 && reply.code == "ACCESS_DENIED", "\(reply)")
        #expect(reply["reason"].text?.contains("development environment") == true)
      }
      #expect(try await testService.accounts.accounts().isEmpty)
    }
  }

  static let closed: [(@Sendable (inout CloudServer.Configuration) -> Void)] = [
    { $0.wantsDevelopmentUsers = false },
    {
      $0.wantsDevelopmentUsers = true
      $0.http.host = "0.0.0.0"
    },
    {
      $0.wantsDevelopmentUsers = true
      $0.service.trustsProxy = true
    },
    {
      $0.wantsDevelopmentUsers = true
      $0.service.publicAddress = "https://cloud.example.com"
    },
  ]

  @Test(arguments: closed.indices)
  func `A server that other machines reach has no development users`(index: Int) async throws {
    try await TestService.run {
      Self.closed[index](&$0)
    } _: { testService in
      let reply = try ask(testService, "\(Self.notes)/private/zones/list")
      #expect(reply.status == 403 && reply.code == "ACCESS_DENIED", "\(reply)")
      #expect(reply["reason"].text?.contains("--no-development-users") == true)
      #expect(try await testService.accounts.accounts().isEmpty)
    }
  }

  @Test(arguments: ["", "a b", "ada@example.com", "a/b", "é", String(repeating: "a", count: 65)])
  func `A name that is not one word is rejected`(name: String) async throws {
    try await TestService.run {
      $0.wantsDevelopmentUsers = true
    } _: { testService in
      let reply = try ask(testService, "\(Self.notes)/private/zones/list", as: name)
      #expect(reply.status == 401 && reply.code == "AUTHENTICATION_FAILED", "\(reply)")
      #expect(reply["reason"].text?.contains("one word") == true)
    }
  }

  @Test func `Tokens and a development user exclude each other`() async throws {
    try await TestService.run {
      $0.wantsDevelopmentUsers = true
    } _: { testService in
      let reply = try ask(
        testService, "\(Self.notes)/private/zones/list?ckAPIToken=\(testService.apiToken)")
      #expect(reply.status == 403, "\(reply)")
    }
  }

  @Test func `Existing accounts of that name and those with a password are out of reach`()
    async throws
  {
    try await TestService.run {
      $0.wantsDevelopmentUsers = true
    } _: { testService in
      let person = try await testService.user("ada")
      try person.ask("private", "records/modify", save("secret"))
      #expect(try names(ask(testService, "\(Self.notes)/private/records/query", all)) == [])
      #expect(
        try ask(testService, "\(Self.notes)/private/records/modify", save("mine")).status == 200)
      let address = "ada@development.invalid"
      await #expect(throws: CloudError.self) {
        try await testService.accounts.signIn(
          name: address, password: "", to: TestService.container, from: nil)
      }
      try await testService.accounts.setPassword(ofAccount: address, to: TestService.password)
      let reply = try ask(testService, "\(Self.notes)/private/records/query", all)
      #expect(
        reply.status == 403 && reply["reason"].text?.contains("has a password") == true, "\(reply)")
    }
  }

  @Test func `Disabling or removing an account has effect at once`() async throws {
    try await TestService.run {
      $0.wantsDevelopmentUsers = true
    } _: { testService in
      let address = "ada@development.invalid"
      #expect(try ask(testService, "\(Self.notes)/private/records/modify", save("a")).status == 200)
      try await testService.accounts.disable(accountNamed: address)
      #expect(try ask(testService, "\(Self.notes)/private/records/query", all).status == 403)
      try await testService.accounts.enable(accountNamed: address)
      #expect(try names(ask(testService, "\(Self.notes)/private/records/query", all)) == ["a"])
      try await testService.accounts.remove(accountNamed: address)
      #expect(try names(ask(testService, "\(Self.notes)/private/records/query", all)) == [])
    }
  }

  @Test func `A device is notified of changes by the user's other device`() async throws {
    try await TestService.run {
      $0.wantsDevelopmentUsers = true
    } _: { testService in
      let zone = #""zoneID":{"zoneName":"Notes"}"#
      func modify(_ things: String, _ operation: String, _ more: String = "") throws -> Reply {
        try ask(
          testService, "\(Self.notes)/private/\(things)/modify",
          #"{"operations":[\#(operation)]\#(more)}"#
        )
      }
      _ = try modify("zones", #"{"operationType":"create","zone":{\#(zone)}}"#)
      let record =
        #"{"operationType":"forceUpdate","record":{"recordName":"a","recordType":"Note","fields":{}}}"#
      _ = try modify("records", record, ",\(zone)")
      let query = #""query":{"recordType":"Note"},"firesOn":["update"],\#(zone)"#
      let created = try modify(
        "subscriptions",
        #"{"operationType":"create","subscription":{"subscriptionID":"s","subscriptionType":"query",\#(query)}}"#
      )
      #expect(created["subscriptions"][0]["subscriptionID"].text == "s", "\(created)")
      let token = try ask(
        testService, "/device/1/iCloud.com.example.notes/development/tokens/create",
        #"{"apnsEnvironment":"development","clientId":"phone"}"#)
      let address = try #require(token["webcourierURL"].text, "\(token)")
      let target = try #require(address.range(of: "/push/")).lowerBound
      let raw = try RawClient(port: testService.server.socketAddress.port)
      try raw.send("GET \(address[target...]) HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n")
      let saved = try modify("records", record, ",\(zone)")
      #expect(saved["records"][0]["recordChangeTag"].isThere, "\(saved)")
      let received = Reply(try raw.response())
      #expect(received["ck"]["qry"]["rid"].text == "a", "\(received)")
    }
  }

  @Test(arguments: [true, false])
  func `The first page describes the server and the next step`(hasDevelopmentUsers: Bool)
    async throws
  {
    try await TestService.run {
      $0.wantsDevelopmentUsers = hasDevelopmentUsers
    } _: { testService in
      let client = try testService.client()
      let page = try client.get("/")
      #expect(page.status == 200 && page.text.contains("Parhelion record server"))
      #expect(page.fields["content-type"] == "text/html; charset=utf-8")
      #expect(page.fields["access-control-allow-origin"] == nil)
      #expect(page.text.contains("parhelion token create"))
      #expect(page.text.contains(Self.field) == hasDevelopmentUsers)
      // The command can be copied unchanged.
      if hasDevelopmentUsers {
        #expect(
          page.text.contains(
            "curl http://cloud.example/database/1/iCloud.com.example.notes/development"))
      }
      #expect(try client.get("/", method: "HEAD").status == 200)
      #expect(try client.post("/", "").status == 405)
    }
  }
}
