import CloudRecords
import Cryptography
import Foundation
import RecordServer
import RecordServerHTTP
import TestSupport
import Testing

@Suite("Schema roles", .blockingThreads, .endsAtAll)
struct RoleTests {
  private static let schema = """
    DEFINE SCHEMA
        CREATE ROLE Librarian;
        CREATE ROLE Reader;
        RECORD TYPE Book ("___recordID" REFERENCE QUERYABLE, GRANT READ TO "_world", GRANT READ, CREATE, WRITE TO Librarian);
        RECORD TYPE Ledger ("___recordID" REFERENCE QUERYABLE, GRANT READ TO Reader, GRANT READ, CREATE, WRITE TO Librarian);
    """

  /// A service with this schema in its development environment, after an administrator's requests.
  private func run(
    _ body: (TestService, _ ask: (String, [String: Any]) throws -> Reply) async throws -> Void
  ) async throws {
    try await TestService.run { testService in
      let (client, key) = (
        try testService.client(), try #require(testService.server.newAdministratorKey)
      )
      func ask(_ operation: String, _ body: [String: Any]) throws -> Reply {
        let members = body.merging(["container": TestService.container.container]) { said, _ in said
        }
        let text = String(
          decoding: try JSONSerialization.data(withJSONObject: members), as: UTF8.self)
        return try client.post("/admin/1/\(operation)", text, "Authorization: Bearer \(key)\r\n")
      }
      #expect(try ask("schema/import", ["schema": Self.schema]).status == 200)
      try await body(testService, ask)
    }
  }

  private func save(_ type: String, _ name: String) -> String {
    #"{"operations":[{"operationType":"forceUpdate","record":{"recordType":"\#(type)","recordName":"\#(name)","fields":{}}}]}"#
  }

  /// The error of saving a record; nil if it succeeds.
  private func failure(_ client: WebClient, _ type: String, _ name: String) throws -> String? {
    try client.ask("public", "records/modify", save(type, name))["records"][0]["serverErrorCode"]
      .text
  }

  private func found(_ client: WebClient, _ type: String) throws -> [String?] {
    try client.ask("public", "records/query", #"{"query":{"recordType":"\#(type)"}}"#)["records"]
      .list
      .map { $0["recordName"].text }
  }

  @Test func `Roles open and close record types for their members`() async throws {
    try await run { testService, ask in
      let (ada, bob) = (try await testService.user("ada"), try await testService.user("bob"))
      #expect(try failure(ada, "Ledger", "l") == "ACCESS_DENIED")
      let granted = try ask("roles/grant", ["name": "ADA", "role": "Librarian"])
      #expect(granted["user"]["roles"].list.map(\.text) == ["Librarian"], "\(granted)")
      #expect(granted["user"]["userRecordName"].text == ada.userRecordName)
      #expect(try failure(ada, "Ledger", "l") == nil && failure(ada, "Book", "b") == nil)
      #expect(
        try failure(bob, "Ledger", "l") == "ACCESS_DENIED"
          && failure(bob, "Book", "c") == "ACCESS_DENIED")
      #expect(
        try found(ada, "Ledger") == ["l"] && found(bob, "Ledger") == []
          && found(bob, "Book") == ["b"])
      #expect(try ask("roles/grant", ["name": "bob", "role": "Reader"]).status == 200)
      #expect(try found(bob, "Ledger") == ["l"] && failure(bob, "Ledger", "l") == "ACCESS_DENIED")
      #expect(try found(testService.client(), "Ledger") == [])
      #expect(
        try ask("roles/revoke", ["name": "ada", "role": "Librarian"])["user"]["roles"].count == 0)
      #expect(
        try failure(ada, "Ledger", "l") == "ACCESS_DENIED"
          && failure(ada, "Book", "b") == "ACCESS_DENIED")
      #expect(try found(ada, "Ledger") == [])
      let listed = try ask("roles/list", [:])
      #expect(listed["roles"].list.map(\.text) == ["Librarian", "Reader"])
      #expect(listed["users"].list.map { $0["name"].text } == ["bob"], "\(listed)")
    }
  }

  @Test func `Users get roles before they sign in, and server keys by their identifiers`()
    async throws
  {
    try await run { testService, ask in
      _ = try await testService.accounts.signUp(
        name: "carol", password: TestService.password, from: nil)
      #expect(try ask("roles/grant", ["name": "carol", "role": "Librarian"]).status == 200)
      let session = try await testService.accounts.signIn(
        name: "carol", password: TestService.password, to: TestService.container, from: nil)
      var carol = try testService.client()
      carol.webToken = session.webToken
      #expect(try failure(carol, "Ledger", "l") == nil)
      let server = try await SigningProgram(testService)
      #expect(
        try server.post("records/modify", save("Ledger", "l"))["records"][0]["serverErrorCode"].text
          == "ACCESS_DENIED")
      let granted = try ask("roles/grant", ["name": server.identifier, "role": "Librarian"])
      #expect(
        !granted["user"]["name"].isThere
          && granted["user"]["userRecordName"].text == server.userRecordName)
      let saved = try server.post("records/modify", save("Ledger", "l"))["records"][0]
      #expect(saved["modified"]["userRecordName"].text == server.userRecordName, "\(saved.object)")
    }
  }

  @Test func `Roles outside the schema are rejected, and roles belong to one environment`()
    async throws
  {
    try await run { testService, ask in
      let ada = try await testService.user("ada")
      let unknown = try ask("roles/grant", ["name": "ada", "role": "Libarian"])
      #expect(unknown.status == 400)
      #expect(
        unknown["reason"].text?.contains("no role “Libarian”. Its roles: Librarian, Reader.")
          == true, "\(unknown)")
      #expect(try ask("roles/revoke", ["name": "ada", "role": "x"]).status == 400)
      let production: [String: Any] = [
        "name": "ada", "role": "Librarian", "environment": "production",
      ]
      #expect(try ask("roles/grant", production)["reason"].text?.contains("CREATE ROLE") == true)
      #expect(
        try ask("roles/grant", ["name": "ada"])["reason"].text == "The operation needs “role”.")
      #expect(try ask("roles/grant", ["name": "nobody", "role": "Librarian"]).code == "NOT_FOUND")
      #expect(
        try ask("roles/grant", ["name": "ada", "role": "Librarian", "container": "iCloud.none"])
          .code == "NOT_FOUND")
      #expect(try ask("roles/grant", ["name": "ada", "role": "Librarian"]).status == 200)
      #expect(
        try ask("schema/import", ["schema": "DEFINE SCHEMA CREATE ROLE Reader;", "erase": true])
          .status == 200)
      #expect(try failure(ada, "Book", "b") == nil, "saving defines the type again, for all users")
      #expect(try ask("roles/list", [:])["users"][0]["roles"].list.map(\.text) == ["Librarian"])
      #expect(try ask("roles/revoke", ["name": "ada", "role": "Librarian"]).status == 200)
      #expect(try ask("roles/list", [:])["users"].count == 0)
    }
  }
}
