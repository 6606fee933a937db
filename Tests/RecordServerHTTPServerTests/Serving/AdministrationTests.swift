import CloudRecords
import Cryptography
import Foundation
import RecordServer
import RecordServerHTTP
import TestSupport
import Testing

@Suite("Administrators", .blockingThreads, .endsAtAll)
struct AdministrationTests {
  private struct AdministratorClient {
    let client: WebClient
    let key: String

    func ask(_ operation: String, _ body: [String: Any] = [:]) throws -> Reply {
      let text = String(decoding: try JSONSerialization.data(withJSONObject: body), as: UTF8.self)
      return try client.post("/admin/1/\(operation)", text, "Authorization: Bearer \(key)\r\n")
    }
  }

  private func run(_ body: (TestService, AdministratorClient) async throws -> Void) async throws {
    try await TestService.run { testService in
      try await body(
        testService,
        AdministratorClient(
          client: testService.client(), key: try #require(testService.server.newAdministratorKey)))
    }
  }

  @Test func `Every operation needs the administrators' key`() async throws {
    try await run { testService, administrator in
      let ada = try await testService.user("ada")
      for operation in AdministrationOperation.allCases {
        let path = "/admin/1/\(operation.rawValue)"
        for field in [
          "", "Authorization: Bearer \(String(repeating: "0", count: 64))\r\n",
          "Authorization: Basic x\r\n",
        ] {
          #expect(try ada.post(path, "{}", field).status == 401)
        }
        #expect(try ada.post(path + ada.query, "{}", "").code == "AUTHENTICATION_FAILED")
        #expect(try ada.get(path, "Authorization: Bearer \(administrator.key)\r\n").status == 405)
      }
      #expect(try administrator.ask("users/burn").status == 404)
      #expect(!testService.log.all.joined().contains(administrator.key))
    }
  }

  @Test func `Administrators create, change and remove accounts`() async throws {
    try await run { testService, administrator in
      let name = "ada@example.com"
      let created = try administrator.ask(
        "users/add",
        [
          "name": name, "password": TestService.password, "givenName": "Ada",
          "container": TestService.container.container,
        ])
      #expect(
        created["user"]["givenName"].text == "Ada"
          && created["user"]["hasProvenAddress"].flag == true,
        "\(created)")
      let session = try await testService.accounts.signIn(
        name: name, password: TestService.password, to: TestService.container, from: nil)
      #expect(created["user"]["userRecordName"].text == session.userRecordName)
      var ada = try testService.client()
      ada.webToken = session.webToken
      #expect(try ada.ask("private", "zones/list").status == 200)
      #expect(
        try administrator.ask("users/add", ["name": name, "password": TestService.password]).code
          == "EXISTS")
      #expect(
        try administrator.ask("users/add", ["name": "bob"])["reason"].text
          == "The operation needs “password”.")
      #expect(try administrator.ask("users/disable", ["name": name])["user"]["disabled"].isThere)
      #expect(try ada.ask("private", "zones/list").status == 401)
      #expect(try !administrator.ask("users/enable", ["name": name])["user"]["disabled"].isThere)
      #expect(
        try administrator.ask("users/discoverable", ["name": name])["user"]["isDiscoverable"].flag
          == true)
      #expect(
        try administrator.ask("users/hidden", ["name": name])["user"]["isDiscoverable"].flag
          == false)
      #expect(
        try administrator.ask("users/password", ["name": name, "password": "another password"])
          .status == 200
      )
      #expect(try administrator.ask("users/list")["users"].list.map { $0["name"].text } == [name])
      #expect(try administrator.ask("users/remove", ["name": name]).status == 200)
      #expect(try administrator.ask("users/verify", ["name": name]).code == "NOT_FOUND")
      #expect(try administrator.ask("users/list")["users"].count == 0)
    }
  }

  @Test func `Administrators create, list and revoke tokens and keys, without seeing secrets`()
    async throws
  {
    try await run { testService, administrator in
      let created = try administrator.ask(
        "tokens/create",
        [
          "container": "iCloud.new", "environment": "production", "label": "New",
          "origins": ["https://a.example"],
        ])
      let token = try #require(created["apiToken"].text, "\(created)")
      var client = try testService.client()
      (client.apiToken, client.container) = (token, "iCloud.new/production")
      #expect(try client.ask("public", "zones/list").status == 200)
      let listed = try administrator.ask("tokens/list")
      #expect(!listed.text.contains(token) && listed["tokens"].count == 2)
      #expect(try administrator.ask("containers/list")["containers"].count == 4)
      #expect(
        try administrator.ask(
          "tokens/revoke", ["identifier": created["token"]["identifier"].text ?? ""]
        ).status
          == 200)
      #expect(try client.ask("public", "zones/list").status == 401)
      #expect(
        try administrator.ask(
          "tokens/create", ["container": "iCloud.new", "environment": "staging"]
        ).status
          == 400)
      #expect(try administrator.ask("tokens/create").status == 400)
      let pem = SignaturePrivateKey().publicPEM
      let key = try administrator.ask("keys/add", ["container": "iCloud.new", "publicKey": pem])[
        "key"][
          "identifier"]
      #expect(key.text?.count == 64)
      #expect(try administrator.ask("keys/list")["keys"][0]["identifier"].text == key.text)
      #expect(try administrator.ask("keys/revoke", ["identifier": key.text ?? ""]).status == 200)
      #expect(try administrator.ask("keys/list")["keys"][0]["revoked"].isThere)
    }
  }

  @Test func `Administrators see and end users' sessions`() async throws {
    try await run { testService, administrator in
      let ada = try await testService.user("ada")
      let second = try await testService.accounts.signIn(
        name: "ada", password: TestService.password, to: TestService.container, isKept: true,
        from: nil)
      let listed = try administrator.ask("sessions/list", ["name": "ada"])
      // Their order is not defined: both may have begun in one millisecond.
      #expect(listed["sessions"].list.count { $0["isKept"].flag == true } == 1, "\(listed)")
      #expect(listed["sessions"].count == 2)
      let one = try administrator.ask(
        "sessions/end", ["name": "ada", "identifier": second.identifier])
      #expect(
        one["sessions"].count == 1 && one["sessions"][0]["identifier"].text != second.identifier)
      #expect(try ada.ask("private", "zones/list").status == 200)
      #expect(
        try administrator.ask("sessions/end", ["name": "ada", "identifier": second.identifier]).code
          == "NOT_FOUND")
      #expect(try administrator.ask("sessions/end", ["name": "ada"])["sessions"].count == 0)
      #expect(try ada.ask("private", "zones/list").status == 401)
    }
  }

  @Test func `Administrators see the usage of databases, recounted on request`() async throws {
    try await run { testService, administrator in
      let (ada, _) = (try await testService.user("ada"), try await testService.user("bob"))
      let container = ["container": TestService.container.container]
      func save(_ database: String, _ names: [String], _ kind: String = "forceUpdate") throws {
        let list = names.map {
          #"{"operationType":"\#(kind)","record":{"recordType":"Note","recordName":"\#($0)","fields":{"t":{"value":"\#($0)"}}}}"#
        }
        let reply = try ada.ask(
          database, "records/modify", #"{"operations":[\#(list.joined(separator: ","))]}"#)
        #expect(reply.status == 200 && !reply.text.contains("serverErrorCode"), "\(reply)")
      }
      try save("private", (0..<150).map { "r\($0)" })
      try save("private", ["r1", "r2"], "forceDelete")
      try save("public", ["p"])
      let used = try administrator.ask("usage/list", container)["databases"].list
      // The public database includes the user records.
      #expect(used.map { $0["records"].number } == [3, 148], "\(used.map(\.object))")
      #expect(used[0]["name"].isThere == false && used[1]["name"].text == "ada")
      #expect(used[1]["userRecordName"].text == ada.userRecordName && used[1]["zones"].number == 1)
      let before = try #require(used[1]["bytes"].number)
      #expect(before > 148 * 20)
      try save("private", ["one more"])
      let after = try administrator.ask("usage/list", container)["databases"][1]["bytes"].number
      #expect(after.map { $0 > before } == true)
      #expect(try administrator.ask("usage/list", ["container": "iCloud.none"]).code == "NOT_FOUND")
    }
  }

  @Test func `Storage outside a folder cannot be backed up or checked`() async throws {
    try await run { _, administrator in
      for operation in ["backups/create", "storage/check"] {
        let reply = try administrator.ask(operation)
        #expect(reply.status == 400 && reply.code == "BAD_REQUEST", "\(reply)")
      }
    }
  }

  @Test func `Administrators renew secrets and their own key`() async throws {
    try await run { testService, administrator in
      let code = testService.accounts.formCode(for: "cookie")
      #expect(try administrator.ask("keys/renew", ["atOnce": true]).status == 200)
      #expect(!testService.accounts.isFormCode(code, for: "cookie"))
      let new = try #require(try administrator.ask("keys/administrator")["administratorKey"].text)
      #expect(try administrator.ask("users/list").status == 401)
      #expect(
        try AdministratorClient(client: administrator.client, key: new).ask("users/list").status
          == 200)
    }
  }

  @Test func `Administrators change schemas, and data is erased only on explicit request`()
    async throws
  {
    try await run { testService, administrator in
      let container = ["container": TestService.container.container]
      func with(_ more: [String: Any]) -> [String: Any] {
        more.merging(container) { old, _ in old }
      }
      let book = "DEFINE SCHEMA RECORD TYPE Book (title STRING QUERYABLE);"
      #expect(
        try administrator.ask("schema/import", with(["schema": book, "dryRun": true]))["difference"]
          .text?
          .contains("Book")
          == true)
      #expect(
        try administrator.ask("schema/export", container)["schema"].text?.contains("Book") == false)
      #expect(try administrator.ask("schema/import", with(["schema": book])).status == 200)
      #expect(
        try administrator.ask("schema/diff", container)["difference"].text?.contains("Book") == true
      )
      let shelf = book.replacing("Book", with: "Shelf")
      #expect(try administrator.ask("schema/import", with(["schema": shelf])).status == 400)
      let erased = try administrator.ask("schema/import", with(["schema": shelf, "erase": true]))
      #expect(erased["erasedTypes"].list.map(\.text) == ["Book"], "\(erased)")
      #expect(try administrator.ask("schema/deploy", with(["dryRun": true])).status == 200)
      #expect(try administrator.ask("schema/diff", container)["difference"].text != "")
      #expect(try administrator.ask("schema/deploy", container).status == 200)
      #expect(try administrator.ask("schema/diff", container)["difference"].text == "")
      #expect(try administrator.ask("schema/reset", container).status == 400)
      #expect(try administrator.ask("schema/reset", with(["erase": true])).status == 200)
      #expect(
        try administrator.ask("schema/import", with(["schema": "nonsense"])).code == "BAD_REQUEST")
      #expect(
        try administrator.ask("schema/export", ["container": "iCloud.other"]).code == "NOT_FOUND")
    }
  }
}
