import CloudRecords
import CloudWire
import RecordServer
import RecordStorage
import Testing

/// Effects of other users' references on records of the public database.
@Suite struct `Deleting public records` {
  /// All users read `Post`, `Link` and `Wiki`; only creators read `Secret` and `Inbox`.
  ///
  /// All users write `Wiki` and `Inbox`, editors `Post` and `Link`, and creators all types.
  private static let schema = """
    DEFINE SCHEMA
      CREATE ROLE Editor;
      RECORD TYPE Post ( GRANT WRITE TO "_creator", GRANT WRITE TO Editor, GRANT CREATE TO "_icloud", GRANT READ TO "_world" );
      RECORD TYPE Link ( "to" REFERENCE, also REFERENCE, GRANT WRITE TO "_creator", GRANT WRITE TO Editor, GRANT CREATE TO "_icloud", GRANT READ TO "_world" );
      RECORD TYPE Wiki ( "to" REFERENCE, GRANT CREATE, WRITE TO "_icloud", GRANT READ TO "_world" );
      RECORD TYPE Secret ( GRANT WRITE TO "_creator", GRANT CREATE TO "_icloud" );
      RECORD TYPE Inbox ( GRANT READ TO "_creator", GRANT CREATE, WRITE TO "_icloud" );
    """

  private let ada: Client
  private let bob: Client
  private let editor: Client

  init() async throws {
    var limits = ServiceLimits()
    (limits.cascadesPerTarget, limits.cascadesPerRequest) = (3, 6)
    let cloud = Cloud(limits: limits)
    (ada, bob, editor) = (
      try await cloud.user("_ada"), try await cloud.user("_bob"), try await cloud.user("_editor")
    )
    try await SchemaAdministrator(cloud).importing(Self.schema)
    var user = StoredUser(identity: UserIdentity(userRecordName: "_editor"))
    user.roles = ["Editor"]
    try await cloud.server.saveUser(user, named: "_editor", in: editor.realm)
  }

  private func link(_ name: String, to target: String, _ action: String, type: String = "Link") -> (
    String, String
  ) {
    (
      "forceUpdate",
      #""recordName":"\#(name)","recordType":"\#(type)","fields":{"to":{"value":{"recordName":"\#(target)","action":"\#(action)"}}}"#
    )
  }

  private func record(_ name: String, _ type: String = "Post") -> (String, String) {
    ("create", #""recordName":"\#(name)","recordType":"\#(type)""#)
  }

  private func delete(_ name: String) -> (String, String) {
    ("forceDelete", #""recordName":"\#(name)""#)
  }

  private func save(_ client: Client, _ operation: (String, String)) async throws {
    let reply = try await client.modify(in: .public, operation)
    #expect(reply.status == 200 && !reply["records"][0]["serverErrorCode"].isThere, "\(reply)")
  }

  private func outcome(_ client: Client, _ operation: (String, String)) async throws -> String {
    let reply = try await client.modify(in: .public, operation).records[0]
    return reply.split(separator: " ").last.map(String.init) ?? reply
  }

  /// The names of records that exist and are visible to Ada.
  private func present(_ names: String...) async throws -> [String] {
    var present: [String] = []
    for name in names
    where try await !ada.lookUp(in: .public, name).records[0].hasSuffix("NOT_FOUND") {
      present.append(name)
    }
    return present
  }

  @Test(arguments: [
    ("_ada", "_ada", "VALIDATING_REFERENCE_ERROR"), ("_bob", "_ada", "deleted"),
    ("_editor", "_ada", "deleted"),
    ("_ada", "_editor", "VALIDATING_REFERENCE_ERROR"), ("_bob", "_editor", "deleted"),
    ("_editor", "_editor", "VALIDATING_REFERENCE_ERROR"),
  ])
  func `Writers' references prevent a deletion, but only the owner's prevent the owner's`(
    author: String, deleter: String, expected: String
  ) async throws {
    let clients = ["_ada": ada, "_bob": bob, "_editor": editor]
    try await save(ada, record("post"))
    let (author, deleter) = (try #require(clients[author]), try #require(clients[deleter]))
    try await save(author, link("v", to: "post", "VALIDATE"))
    #expect(try await outcome(deleter, delete("post")) == expected)
    #expect(try await present("v") == ["v"])
  }

  @Test func `A reference that another user added does not prevent the owner's deletion`()
    async throws
  {
    try await save(ada, record("post"))
    try await save(ada, link("w", to: "post", "NONE", type: "Wiki"))
    try await save(bob, link("w", to: "post", "VALIDATE", type: "Wiki"))
    #expect(try await outcome(ada, delete("post")) == "deleted")
  }

  @Test func `Other users' referencing records are deleted too, up to the limit`()
    async throws
  {
    try await save(ada, record("post"))
    for number in 0..<5 { try await save(bob, link("b\(number)", to: "post", "DELETE_SELF")) }
    try await save(ada, link("c", to: "post", "DELETE_SELF"))
    #expect(try await outcome(ada, delete("post")) == "deleted")
    // The record of the target's owner is deleted first.
    #expect(try await present("b0", "b1", "b2", "b3", "b4", "c") == ["b2", "b3", "b4"])
  }

  @Test func `Records that cannot be deleted remain`() async throws {
    try await save(ada, record("post"))
    try await save(bob, link("held", to: "post", "DELETE_SELF"))
    try await save(bob, link("holder", to: "held", "VALIDATE"))
    try await save(bob, link("free", to: "post", "DELETE_SELF"))
    try await save(bob, link("below", to: "free", "DELETE_SELF"))
    #expect(try await outcome(ada, delete("post")) == "deleted")
    #expect(try await present("held", "holder", "free", "below") == ["held", "holder"])
  }

  @Test func `A deletion is rejected if it includes too many of the owner's records`() async throws
  {
    try await save(ada, record("post"))
    for number in 0..<4 { try await save(ada, link("a\(number)", to: "post", "DELETE_SELF")) }
    #expect(try await outcome(ada, delete("post")) == "BAD_REQUEST")
    try await save(ada, delete("a0"))
    #expect(try await outcome(ada, delete("post")) == "deleted")
  }

  @Test func `A cycle of other users' records ends`() async throws {
    try await save(ada, record("post"))
    try await save(bob, link("x", to: "post", "DELETE_SELF"))
    try await save(bob, link("y", to: "x", "DELETE_SELF"))
    let also = #""fields":{"also":{"value":{"recordName":"y","action":"DELETE_SELF"}}}"#
    try await save(bob, ("forceUpdate", #""recordName":"x",\#(also)"#))
    #expect(try await outcome(ada, delete("post")) == "deleted")
    #expect(try await present("x", "y") == [])
  }

  // MARK: Hidden records

  @Test(arguments: ["update", "replace", "delete", "forceDelete"])
  func `A hidden record is answered like a missing one`(kind: String) async throws {
    try await save(ada, record("secret", "Secret"))
    var replies: [Reply] = []
    for name in ["secret", "absent"] {
      let members =
        #""recordName":"\#(name)","recordType":"Secret","recordChangeTag":"zz","fields":{}"#
      replies.append(try await bob.modify(in: .public, (kind, members))["records"][0])
    }
    let shown = zip(replies, ["secret", "absent"]).map { reply, name in
      ["serverErrorCode", "reason", "extensionErrorCode"].map {
        reply[$0].text?.replacing(name, with: "NAME")
      }
    }
    #expect(shown[0] == shown[1] && replies[0].keys == replies[1].keys)
    let expected = kind == "forceDelete" ? "secret: deleted" : "secret: NOT_FOUND"
    #expect(replies[0].record == expected)
    #expect(try await present("secret") == ["secret"])
  }

  @Test func `A hidden record cannot be the target of a validating reference`() async throws {
    try await save(ada, record("secret", "Secret"))
    #expect(
      try await outcome(bob, link("v", to: "secret", "VALIDATE")) == "VALIDATING_REFERENCE_ERROR")
    #expect(
      try await outcome(bob, link("v", to: "absent", "VALIDATE")) == "VALIDATING_REFERENCE_ERROR")
    // Its owner may add such a reference, which then prevents the deletion.
    try await save(ada, link("v", to: "secret", "VALIDATE"))
    #expect(try await outcome(ada, delete("secret")) == "VALIDATING_REFERENCE_ERROR")
  }

  @Test func `A writable but unreadable record has no tag in a conflict`() async throws {
    try await save(ada, record("letter", "Inbox"))
    let stale = (
      "update", #""recordName":"letter","recordType":"Inbox","recordChangeTag":"zz","fields":{}"#
    )
    let reported = try await bob.modify(in: .public, stale)["records"][0]
    #expect(reported.record == "letter: CONFLICT")
    #expect(reported["reason"].text?.contains("it has") == false, "\(reported)")
    let own = try await ada.modify(in: .public, stale)["records"][0]
    #expect(own["reason"].text?.contains("it has 1 now") == true, "\(own)")
  }

  @Test(arguments: ["update", "delete", "forceDelete", "forceUpdate"])
  func `A change needs a user, whether or not the record exists`(kind: String) async throws {
    try await save(ada, record("secret", "Secret"))
    try await save(ada, record("post"))
    let anonymous = try await ada.cloud.client(.anonymous)
    for name in ["secret", "post", "absent"] {
      let members =
        #""recordName":"\#(name)","recordType":"Post","recordChangeTag":"1","fields":{}"#
      #expect(try await outcome(anonymous, (kind, members)) == "AUTHENTICATION_REQUIRED")
    }
  }

  /// By default, the grants of `Users` do not permit creating its records.
  @Test func `A user record can only be created by its user, even if users may create records`()
    async throws
  {
    let cloud = Cloud()
    let (ada, bob) = (try await cloud.user("_ada"), try await cloud.user("_bob"))
    let administrator = SchemaAdministrator(cloud)
    let read = #"GRANT READ TO "_world""#
    let granting = try await administrator.text().replacing(
      read, with: #"GRANT READ, CREATE TO "_icloud", \#(read)"#)
    try await administrator.importing(granting)
    let other = ("create", #""recordName":"_bob","recordType":"Users","fields":{}"#)
    #expect(try await outcome(ada, other) == "ACCESS_DENIED")
    try await save(bob, other)
  }
}
