import CloudRecords
import CloudWire
import RecordServer
import Testing

@Suite struct `The public database` {
  private let cloud = Cloud()

  private func note(_ name: String) -> (String, String) {
    ("forceUpdate", #""recordName":"\#(name)","recordType":"Note","fields":{"t":{"value":"x"}}"#)
  }

  private func gone(_ name: String) -> (String, String) {
    ("forceDelete", #""recordName":"\#(name)""#)
  }

  @Test func `All callers read, users write, and creators change records`() async throws {
    let (ada, bob) = (try await cloud.user("_ada"), try await cloud.user("_bob"))
    let anonymous = try await cloud.client(.anonymous)
    let server = try await cloud.client(.server("_key"))
    #expect(try await ada.modify(in: .public, note("a")).records == ["a@1"])
    #expect(try await server.modify(in: .public, note("s")).records == ["s@2"])
    for client in [ada, bob, anonymous, server] {
      #expect(try await client.lookUp(in: .public, "a", "s").records == ["a@1", "s@2"])
    }
    #expect(try await bob.modify(in: .public, note("a")).records == ["a: ACCESS_DENIED"])
    #expect(try await bob.modify(in: .public, gone("a")).records == ["a: ACCESS_DENIED"])
    #expect(
      try await anonymous.modify(in: .public, note("n")).records == ["n: AUTHENTICATION_REQUIRED"])
    #expect(try await ada.modify(in: .public, note("a")).records == ["a@3"])
    #expect(try await ada.modify(in: .public, gone("a")).records == ["a: deleted"])
  }

  @Test func `Batches are not atomic, and parents, shares and sealed values fail`() async throws {
    let ada = try await cloud.user("_ada")
    let parts = try await ada.modify(
      in: .public, atomic: true, note("a"), ("delete", #""recordName":"no","recordChangeTag":"1""#),
      gone("none"))
    #expect(parts.records == ["a@1", "no: NOT_FOUND", "none: deleted"])
    let child = #""recordName":"c","recordType":"Note","fields":{},"parent":{"recordName":"a"}"#
    #expect(try await ada.modify(in: .public, ("create", child)).records == ["c: BAD_REQUEST"])
    let share =
      #""recordName":"S","recordType":"cloudkit.share","fields":{},"forRecord":{"recordName":"a"}"#
    #expect(try await ada.modify(in: .public, ("create", share)).records == ["S: ACCESS_DENIED"])
    let sealed =
      #""recordName":"e","recordType":"E","fields":{"x":{"value":"eA==","type":"STRING","isEncrypted":true}}"#
    #expect(try await ada.modify(in: .public, ("create", sealed)).records == ["e: BAD_REQUEST"])
  }

  @Test func `Users cannot create user records, not even their own`() async throws {
    let ada = try await cloud.user("_ada")
    let own = #""recordName":"_ada","recordType":"Users","fields":{"nick":{"value":"A"}}"#
    let other = #""recordName":"_bob","recordType":"Users","fields":{}"#
    #expect(
      try await ada.modify(in: .public, ("forceUpdate", other)).records == ["_bob: ACCESS_DENIED"])
    #expect(
      try await ada.modify(in: .public, ("forceUpdate", own)).records == ["_ada: ACCESS_DENIED"])
  }

  @Test func `A user's record lasts as long as the account`() async throws {
    let accountServer = try await AccountServer(on: cloud)
    try await accountServer.add("ann")
    let session = try await accountServer.signIn("ann")
    let (ann, name) = (try await cloud.user(session.userRecordName), session.userRecordName)
    let own = ("forceUpdate", #""recordName":"\#(name)","fields":{"nick":{"value":"A"}}"#)
    #expect(try await ann.modify(in: .public, own).records[0].hasPrefix("\(name)@"))
    #expect(try await ann.modify(in: .public, gone(name)).records == ["\(name): ACCESS_DENIED"])
    // It is not deleted with the target of its reference either.
    let reference = #"{"value":{"recordName":"a","action":"DELETE_SELF"},"type":"REFERENCE"}"#
    _ = try await ann.modify(in: .public, note("a"))
    let home = ("forceUpdate", #""recordName":"\#(name)","fields":{"home":\#(reference)}"#)
    #expect(try await ann.modify(in: .public, home).records[0].hasPrefix("\(name)@"))
    #expect(try await ann.modify(in: .public, gone("a")).records == ["a: deleted"])
    #expect(try await ann.lookUp(in: .public, name).records[0].hasPrefix("\(name)@"))
    try await accountServer.accounts.remove(accountNamed: "ann")
    #expect(try await ann.lookUp(in: .public, name).records == ["\(name): NOT_FOUND"])
  }

  @Test func `Any caller can query`() async throws {
    let ada = try await cloud.user("_ada")
    _ = try await ada.modify(in: .public, note("a"), note("b"))
    let anonymous = try await cloud.client(.anonymous)
    let reply = try await anonymous.ask(.public, .recordsQuery, #"{"query":{"recordType":"Note"}}"#)
    #expect(reply.records == ["a@1", "b@2"])
  }

  @Test(arguments: [DatabaseScope.private, .shared])
  func `Callers without a user reach only the public database`(scope: DatabaseScope) async throws {
    let anonymous = try await cloud.client(.anonymous)
    let server = try await cloud.client(.server("_key"))
    let query = #"{"query":{"recordType":"Unknown"}}"#
    #expect(
      try await anonymous.lookUp(in: scope, "a")["serverErrorCode"].text
        == "AUTHENTICATION_REQUIRED")
    #expect(try await server.lookUp(in: scope, "a")["serverErrorCode"].text == "ACCESS_DENIED")
    #expect(
      try await anonymous.modify(in: scope, note("a"))["serverErrorCode"].text
        == "AUTHENTICATION_REQUIRED")
    #expect(
      try await server.modify(in: scope, note("a"))["serverErrorCode"].text == "ACCESS_DENIED")
    #expect(try await anonymous.ask(scope, .recordsQuery, query).status == 421)
    #expect(try await server.ask(scope, .recordsQuery, query).status == 403)
    #expect(try await anonymous.ask(scope, .zonesList).status == 421)
    #expect(try await server.ask(scope, .zonesList).status == 403)
  }

  @Test func `Production rejects types that were not deployed`() async throws {
    let ada = try await cloud.user("_ada", environment: .production)
    let reply = try await ada.modify(in: .public, note("a"))
    #expect(reply.records == ["a: BAD_REQUEST"])
    #expect(reply["records"][0]["extensionErrorCode"].text == "SCHEMA_NOT_DEPLOYED")
  }
}

@Suite struct `Users of the server` {
  private let cloud = Cloud()

  private func register(_ client: Client, _ given: String, _ address: String, isDiscoverable: Bool)
    async throws
  {
    var user = StoredUser(
      identity: UserIdentity(userRecordName: client.name, nameComponents: .init(givenName: given)))
    user.provenAddresses = [.emailAddress(address)]
    user.isDiscoverable = isDiscoverable
    try await cloud.server.saveUser(user, named: client.name, in: client.realm)
  }

  @Test func `Users get their own identity`() async throws {
    let ada = try await cloud.user("_ada")
    try await register(ada, "Ada", "ada@example.com", isDiscoverable: false)
    let caller = try await ada.ask(.public, .usersCaller, "")
    #expect(caller["users"][0]["userRecordName"].text == "_ada")
    #expect(caller["users"][0]["nameComponents"]["givenName"].text == "Ada")
    // Some clients read the user itself.
    #expect(
      caller["userRecordName"].text == "_ada" && caller["nameComponents"]["givenName"].text == "Ada"
    )
    let current = try await ada.ask(.public, .usersCurrent, "")
    #expect(current["userRecordName"].text == "_ada")
    #expect(current["firstName"].text == "Ada")
    #expect(try await cloud.client(.anonymous).ask(.public, .usersCaller).status == 421)
    #expect(try await cloud.client(.server("_key")).ask(.public, .usersCaller).status == 403)
  }

  @Test func `Discoverable users are found by users who know their identifiers`() async throws {
    let (ada, bob) = (try await cloud.user("_ada"), try await cloud.user("_bob"))
    try await register(ada, "Ada", "ada@example.com", isDiscoverable: true)
    try await register(bob, "Bob", "bob@example.com", isDiscoverable: false)
    let body =
      #"{"lookupInfos":[{"emailAddress":"ada@example.com"},{"emailAddress":"bob@example.com"},{"userRecordName":"_ada"}]}"#
    let found = try await bob.ask(.public, .usersDiscover, body)
    #expect(found["users"].list.map { $0["userRecordName"].text } == ["_ada", "_ada"])
    #expect(found["users"][0]["lookupInfo"]["emailAddress"].text == "ada@example.com")
    #expect(found["users"][1]["lookupInfo"]["emailAddress"].isThere == false)
    let old = try await bob.ask(
      .public, .usersLookupEmail, #"{"users":[{"emailAddress":"ada@example.com"}]}"#)
    #expect(old["users"][0]["firstName"].text == "Ada")
  }
}
