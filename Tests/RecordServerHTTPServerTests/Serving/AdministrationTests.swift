import CloudRecords
import Cryptography
import Foundation
import RecordServer
import RecordServerHTTP
import TestSupport
import Testing

@Suite("Administrators", .blockingThreads)
struct AdministrationTests {
  private struct Desk {
    let client: WebClient
    let key: String

    func ask(_ operation: String, _ body: [String: Any] = [:]) throws -> Reply {
      let text = String(decoding: try JSONSerialization.data(withJSONObject: body), as: UTF8.self)
      return try client.post("/admin/1/\(operation)", text, "Authorization: Bearer \(key)\r\n")
    }
  }

  private func run(_ body: (Site, Desk) async throws -> Void) async throws {
    try await Site.run { site in
      try await body(
        site, Desk(client: site.client(), key: try #require(site.server.newAdministratorKey)))
    }
  }

  @Test func `Every operation needs the administrators' key`() async throws {
    try await run { site, desk in
      let ada = try await site.user("ada")
      for operation in AdministrationOperation.allCases {
        let path = "/admin/1/\(operation.rawValue)"
        for field in [
          "", "Authorization: Bearer \(String(repeating: "0", count: 64))\r\n",
          "Authorization: Basic x\r\n",
        ] {
          #expect(try ada.post(path, "{}", field).status == 401)
        }
        #expect(try ada.post(path + ada.query, "{}", "").code == "AUTHENTICATION_FAILED")
        #expect(try ada.get(path, "Authorization: Bearer \(desk.key)\r\n").status == 405)
      }
      #expect(try desk.ask("users/burn").status == 404)
      #expect(!site.log.all.joined().contains(desk.key))
    }
  }

  @Test func `Administrators create, change and remove accounts`() async throws {
    try await run { site, desk in
      let name = "ada@example.com"
      let made = try desk.ask(
        "users/add",
        [
          "name": name, "password": Site.password, "givenName": "Ada",
          "container": Site.container.container,
        ])
      #expect(
        made["user"]["givenName"].text == "Ada" && made["user"]["hasProvenAddress"].flag == true,
        "\(made)")
      let session = try await site.accounts.signIn(
        name: name, password: Site.password, to: Site.container, from: nil)
      #expect(made["user"]["userRecordName"].text == session.userRecordName)
      var ada = try site.client()
      ada.webToken = session.webToken
      #expect(try ada.ask("private", "zones/list").status == 200)
      #expect(
        try desk.ask("users/add", ["name": name, "password": Site.password]).code == "EXISTS")
      #expect(
        try desk.ask("users/add", ["name": "bob"])["reason"].text
          == "The operation needs “password”.")
      #expect(try desk.ask("users/disable", ["name": name])["user"]["disabled"].isThere)
      #expect(try ada.ask("private", "zones/list").status == 401)
      #expect(try !desk.ask("users/enable", ["name": name])["user"]["disabled"].isThere)
      #expect(
        try desk.ask("users/discoverable", ["name": name])["user"]["isDiscoverable"].flag == true)
      #expect(try desk.ask("users/hidden", ["name": name])["user"]["isDiscoverable"].flag == false)
      #expect(
        try desk.ask("users/password", ["name": name, "password": "another password"]).status == 200
      )
      #expect(try desk.ask("users/list")["users"].list.map { $0["name"].text } == [name])
      #expect(try desk.ask("users/remove", ["name": name]).status == 200)
      #expect(try desk.ask("users/verify", ["name": name]).code == "NOT_FOUND")
      #expect(try desk.ask("users/list")["users"].count == 0)
    }
  }

  @Test func `Administrators create, list and revoke tokens and keys, without seeing secrets`()
    async throws
  {
    try await run { site, desk in
      let made = try desk.ask(
        "tokens/create",
        [
          "container": "iCloud.new", "environment": "production", "label": "New",
          "origins": ["https://a.example"],
        ])
      let token = try #require(made["apiToken"].text, "\(made)")
      var client = try site.client()
      (client.apiToken, client.container) = (token, "iCloud.new/production")
      #expect(try client.ask("public", "zones/list").status == 200)
      let listed = try desk.ask("tokens/list")
      #expect(!listed.text.contains(token) && listed["tokens"].count == 2)
      #expect(try desk.ask("containers/list")["containers"].count == 4)
      #expect(
        try desk.ask("tokens/revoke", ["identifier": made["token"]["identifier"].text ?? ""]).status
          == 200)
      #expect(try client.ask("public", "zones/list").status == 401)
      #expect(
        try desk.ask("tokens/create", ["container": "iCloud.new", "environment": "staging"]).status
          == 400)
      #expect(try desk.ask("tokens/create").status == 400)
      let pem = SignaturePrivateKey().publicPEM
      let key = try desk.ask("keys/add", ["container": "iCloud.new", "publicKey": pem])["key"][
        "identifier"]
      #expect(key.text?.count == 64)
      #expect(try desk.ask("keys/list")["keys"][0]["identifier"].text == key.text)
      #expect(try desk.ask("keys/revoke", ["identifier": key.text ?? ""]).status == 200)
      #expect(try desk.ask("keys/list")["keys"][0]["revoked"].isThere)
    }
  }

  @Test func `Administrators see and end users' sessions`() async throws {
    try await run { site, desk in
      let ada = try await site.user("ada")
      let second = try await site.accounts.signIn(
        name: "ada", password: Site.password, to: Site.container, isKept: true, from: nil)
      let listed = try desk.ask("sessions/list", ["name": "ada"])
      // Both may have begun in one millisecond.
      #expect(listed["sessions"].list.count { $0["isKept"].flag == true } == 1, "\(listed)")
      #expect(listed["sessions"].count == 2)
      let one = try desk.ask("sessions/end", ["name": "ada", "identifier": second.identifier])
      #expect(
        one["sessions"].count == 1 && one["sessions"][0]["identifier"].text != second.identifier)
      #expect(try ada.ask("private", "zones/list").status == 200)
      #expect(
        try desk.ask("sessions/end", ["name": "ada", "identifier": second.identifier]).code
          == "NOT_FOUND")
      #expect(try desk.ask("sessions/end", ["name": "ada"])["sessions"].count == 0)
      #expect(try ada.ask("private", "zones/list").status == 401)
    }
  }

  @Test func `Administrators see the usage of databases, recounted on request`() async throws {
    try await run { site, desk in
      let (ada, _) = (try await site.user("ada"), try await site.user("bob"))
      let container = ["container": Site.container.container]
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
      let used = try desk.ask("usage/list", container)["databases"].list
      // The public database includes the user records.
      #expect(used.map { $0["records"].number } == [3, 148], "\(used.map(\.object))")
      #expect(used[0]["name"].isThere == false && used[1]["name"].text == "ada")
      #expect(used[1]["userRecordName"].text == ada.userRecordName && used[1]["zones"].number == 1)
      let before = try #require(used[1]["bytes"].number)
      #expect(before > 148 * 20)
      try save("private", ["one more"])
      let after = try desk.ask("usage/list", container)["databases"][1]["bytes"].number
      #expect(after.map { $0 > before } == true)
      #expect(try desk.ask("usage/list", ["container": "iCloud.none"]).code == "NOT_FOUND")
    }
  }

  @Test func `Storage outside a folder cannot be backed up or checked`() async throws {
    try await run { _, desk in
      for operation in ["backups/create", "storage/check"] {
        let reply = try desk.ask(operation)
        #expect(reply.status == 400 && reply.code == "BAD_REQUEST", "\(reply)")
      }
    }
  }

  @Test func `Administrators renew secrets and their own key`() async throws {
    try await run { site, desk in
      let code = site.accounts.formCode(for: "cookie")
      #expect(try desk.ask("keys/renew", ["atOnce": true]).status == 200)
      #expect(!site.accounts.isFormCode(code, for: "cookie"))
      let new = try #require(try desk.ask("keys/administrator")["administratorKey"].text)
      #expect(try desk.ask("users/list").status == 401)
      #expect(try Desk(client: desk.client, key: new).ask("users/list").status == 200)
    }
  }

  @Test func `Administrators change schemas, and data is erased only on explicit request`()
    async throws
  {
    try await run { site, desk in
      let container = ["container": Site.container.container]
      func with(_ more: [String: Any]) -> [String: Any] {
        more.merging(container) { old, _ in old }
      }
      let book = "DEFINE SCHEMA RECORD TYPE Book (title STRING QUERYABLE);"
      #expect(
        try desk.ask("schema/import", with(["schema": book, "dryRun": true]))["difference"].text?
          .contains("Book")
          == true)
      #expect(try desk.ask("schema/export", container)["schema"].text?.contains("Book") == false)
      #expect(try desk.ask("schema/import", with(["schema": book])).status == 200)
      #expect(try desk.ask("schema/diff", container)["difference"].text?.contains("Book") == true)
      let shelf = book.replacing("Book", with: "Shelf")
      #expect(try desk.ask("schema/import", with(["schema": shelf])).status == 400)
      let erased = try desk.ask("schema/import", with(["schema": shelf, "erase": true]))
      #expect(erased["erasedTypes"].list.map(\.text) == ["Book"], "\(erased)")
      #expect(try desk.ask("schema/deploy", with(["dryRun": true])).status == 200)
      #expect(try desk.ask("schema/diff", container)["difference"].text != "")
      #expect(try desk.ask("schema/deploy", container).status == 200)
      #expect(try desk.ask("schema/diff", container)["difference"].text == "")
      #expect(try desk.ask("schema/reset", container).status == 400)
      #expect(try desk.ask("schema/reset", with(["erase": true])).status == 200)
      #expect(try desk.ask("schema/import", with(["schema": "nonsense"])).code == "BAD_REQUEST")
      #expect(try desk.ask("schema/export", ["container": "iCloud.other"]).code == "NOT_FOUND")
    }
  }
}
