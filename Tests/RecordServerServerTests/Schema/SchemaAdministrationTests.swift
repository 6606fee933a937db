import CloudRecords
import CloudSchema
import CloudWire
import RecordServer
import RecordStorage
import Synchronization
import Testing

@Suite struct `Schema administration` {
  private let cloud = Cloud()
  private var administrator: SchemaAdministrator { SchemaAdministrator(cloud) }

  private static let library = """
    DEFINE SCHEMA
        CREATE ROLE Librarian;

        RECORD TYPE Book (
            "___modTime"   TIMESTAMP QUERYABLE SORTABLE,
            "___recordID"  REFERENCE QUERYABLE,
            title          STRING QUERYABLE SORTABLE SEARCHABLE,
            rating         NUMBER PREFERRED AS DOUBLE,
            tags           LIST<STRING> QUERYABLE,
            privateNote    ENCRYPTED STRING,
            GRANT WRITE TO "_creator",
            GRANT READ, CREATE, WRITE TO Librarian
        );
    """

  // MARK: Export and import

  @Test func `An exported schema equals the imported one`() async throws {
    _ = try await cloud.user("_ada")
    try await administrator.importing(Self.library)
    let exported = try await administrator.text()
    var expected = try Schema(text: Self.library)
    expected.define(SystemType.users.definition)
    #expect(try Schema(text: exported) == expected)
    let again = try await administrator.importing(exported)
    #expect(again.difference.isEmpty)
    #expect(try await administrator.text() == exported)
  }

  @Test func `The schema has the types and fields that development has learnt`() async throws {
    let ada = try await cloud.user("_ada")
    _ = try await ada.put("r", "Note", #""text":{"value":"x"}"#)
    #expect(
      try await administrator.text().contains(
        "text            STRING QUERYABLE SEARCHABLE SORTABLE"))
    #expect(try await administrator.text(.production).contains("Note") == false)
  }

  @Test func `An invalid schema is rejected with its error and changes nothing`() async throws {
    let ada = try await cloud.user("_ada")
    _ = try await ada.put("r", "Note", #""text":{"value":"x"}"#)
    let before = try await administrator.text()
    let refusal = try await administrator.refusal {
      try await administrator.importing("DEFINE SCHEMA RECORD TYPE Note (text BYTES, other WORDS);")
    }
    #expect(refusal.contains("line 1, column 51"), "\(refusal)")
    let retyped = try await administrator.refusal {
      try await administrator.importing("DEFINE SCHEMA RECORD TYPE Note (text BYTES);")
    }
    #expect(
      retyped.contains("The field 'text' in record 'Note' is STRING and would become BYTES."),
      "\(retyped)")
    #expect(try await administrator.text() == before)
  }

  @Test func `A dry run reports what an import would do`() async throws {
    let ada = try await cloud.user("_ada")
    _ = try await ada.put("r", "Note", #""text":{"value":"x"}"#)
    let plan = try await cloud.server.planImport(of: Array(Self.library.utf8), into: "iCloud.test")
    #expect(plan.erasedTypes == ["Note"])
    #expect(try await ada.lookUp("r").records == ["r@1"])
    #expect(try await administrator.text().contains("Note"))
  }

  @Test func `An import without permission erases nothing that was saved after its plan`()
    async throws
  {
    let ada = try await cloud.user("_ada")
    let text = Array("DEFINE SCHEMA RECORD TYPE Note (text STRING);".utf8)
    #expect(try await !cloud.server.planImport(of: text, into: "iCloud.test").erases)
    _ = try await ada.put("r", "Later")
    let refusal = try await administrator.refusal {
      _ = try await cloud.server.importSchema(text, into: "iCloud.test", permitsErasure: false)
    }
    #expect(refusal.contains("This would erase all records of Later."), "\(refusal)")
    #expect(try await ada.lookUp("r").records == ["r@1"])
  }

  @Test func `A stored schema is readable with as many fields as the operator permits`()
    async throws
  {
    var limits = ServiceLimits()
    limits.fieldsPerRecordType = 300
    let cloud = Cloud(limits: limits)
    let administrator = SchemaAdministrator(cloud)
    let ada = try await cloud.user("_ada")
    let fields = (0..<257).map { #""f\#($0)":{"value":1}"# }.joined(separator: ",")
    for name in ["a", "b"] {
      let saved = try await ada.put(name, "Large", fields)
      #expect(saved["records"][0]["recordChangeTag"].isThere, "\(saved)")
    }
    let found = try await ada.ask(.private, .recordsQuery, #"{"query":{"recordType":"Large"}}"#)
    #expect(found["records"].list.count == 2, "\(found)")
    let exported = try await administrator.text()
    #expect(exported.contains("f256"))
    #expect(try await administrator.importing(exported).difference.isEmpty)
    let replacement = try await cloud.server.resetDevelopment(of: "iCloud.test")
    #expect(replacement.erasedTypes == ["Large"])
  }

  @Test func `Containers that were not set up have no schema`() async throws {
    let refusal = try await administrator.refusal { _ = try await administrator.text() }
    #expect(refusal.contains("There is no container “iCloud.test”"))
    #expect(try await cloud.server.containers().isEmpty)
    _ = try await cloud.user("_ada")
    let both = CloudEnvironment.allCases.map {
      ContainerAddress(container: "iCloud.test", environment: $0)
    }
    #expect(Set(try await cloud.server.containers()) == Set(both))
  }

  // MARK: Erasing

  @Test func `An import deletes records and values that the schema does not define`() async throws {
    let ada = try await cloud.user("_ada")
    try await ada.makeZone("Z")
    try await ada.modifyMany(
      "create", 0..<600, zone: "Z",
      #","recordType":"Note","fields":{"text":{"value":"x"},"n":{"value":1}}"#)
    _ = try await ada.put("gone", "Gone", zone: "Z")
    let token = try await ada.changes(zone: "Z", limit: 200)["zones"][0]["syncToken"].text
    let replacement = try await administrator.importing(
      #"DEFINE SCHEMA RECORD TYPE Note (text STRING QUERYABLE, "___recordID" REFERENCE QUERYABLE);"#
    )
    #expect(replacement.erasedTypes == ["Gone"])
    #expect(try await ada.lookUp(zone: "Z", "gone").records == ["gone: NOT_FOUND"])
    for name in ["n0", "n599"] {
      let note = try await ada.lookUp(zone: "Z", name)["records"][0]
      #expect(note.field("text") == "x" && note.field("n") == nil)
    }
    // A reader with an earlier token is notified of all of it.
    var since = token
    var changed: Set<String> = []
    repeat {
      let page = try await ada.changes(zone: "Z", since: since)["zones"][0]
      for record in page["records"].list { changed.insert(record["recordName"].text ?? "") }
      since = page["syncToken"].text
      if page["moreComing"].flag != true { break }
    } while true
    #expect(changed.count == 601)
    // The field can be learnt again with another type.
    _ = try await ada.put("n0", "Note", #""n":{"value":"now a text"}"#, zone: "Z")
    #expect(try await ada.lookUp(zone: "Z", "n0")["records"][0].field("n") == "now a text")
  }

  @Test func `Removing a type removes the parent references to its records`() async throws {
    let ada = try await cloud.user("_ada")
    try await ada.makeZone("Z")
    let note = #","recordType":"Note","fields":{"n":{"value":1}}"#
    try await ada.modifyMany("create", 0..<499, zone: "Z", note)
    _ = try await ada.put("gone", "Gone", zone: "Z")
    try await ada.modifyMany("create", 499..<998, zone: "Z", note)
    // One child is next to its parent, and one is much later in the zone.
    let child = #"{"value":1}},"parent":{"recordName":"gone"}"#
    for name in ["n498", "far"] {
      let members = #""recordName":"\#(name)","recordType":"Note","fields":{"n":\#(child)"#
      _ = try await ada.modify(zone: "Z", ("forceUpdate", members))
    }
    try await ada.modifyMany("create", 998..<999, zone: "Z", note)
    try await administrator.importing("DEFINE SCHEMA RECORD TYPE Note (text STRING);")
    for name in ["n0", "n498", "n997", "far"] {
      let left = try await ada.lookUp(zone: "Z", name)["records"][0]
      #expect(
        left["recordChangeTag"].isThere && left.field("n") == nil && !left["parent"].isThere,
        "\(left)")
    }
  }

  @Test func `The shares of erased records are deleted, and their children stay`() async throws {
    let ada = try await cloud.user("_ada")
    try await ada.makeZone("Z")
    let reply = try await ada.modify(
      zone: "Z", ("create", #""recordName":"root","recordType":"Gone","fields":{}"#),
      (
        "create",
        #""recordName":"child","recordType":"Note","fields":{},"parent":{"recordName":"root"}"#
      ),
      (
        "create",
        #""recordName":"share","recordType":"cloudkit.share","fields":{},"forRecord":{"recordName":"root"}"#
      ))
    #expect(reply["records"].list.allSatisfy { $0["recordChangeTag"].isThere }, "\(reply)")
    try await administrator.importing("DEFINE SCHEMA RECORD TYPE Note ();")
    let left = try await ada.lookUp(zone: "Z", "root", "share", "child")
    #expect(left.records.prefix(2) == ["root: NOT_FOUND", "share: NOT_FOUND"])
    #expect(left["records"][2]["recordChangeTag"].isThere && !left["records"][2]["parent"].isThere)
    // The zone has no share any more, so it can be shared as a whole.
    let whole = try await ada.modify(
      zone: "Z",
      ("create", #""recordName":"cloudkit.zoneshare","recordType":"cloudkit.share","fields":{}"#))
    #expect(whole["records"][0]["recordChangeTag"].isThere, "\(whole)")
  }

  @Test func `Types and fields that production lacks can be removed`() async throws {
    let ada = try await cloud.user("_ada")
    _ = try await ada.put("a", "Note", #""text":{"value":"x"},"n":{"value":1}"#)
    let server = cloud.server
    _ = try await server.removeField("n", of: "Note", fromDevelopmentOf: "iCloud.test")
    #expect(try await ada.lookUp("a")["records"][0].field("n") == nil)
    #expect(try await ada.lookUp("a")["records"][0].field("text") == "x")
    try await administrator.deploy()
    let refusal = try await administrator.refusal {
      _ = try await server.removeRecordType("Note", fromDevelopmentOf: "iCloud.test")
    }
    #expect(
      refusal.contains("The record type 'Note' is in production and would be removed"), "\(refusal)"
    )
    _ = try await ada.put("b", "Other")
    _ = try await server.removeRecordType("Other", fromDevelopmentOf: "iCloud.test")
    #expect(
      try await ada.lookUp("a", "b")["records"].list.map { $0["serverErrorCode"].text } == [
        nil, "NOT_FOUND",
      ])
    let unknown = try await administrator.refusal {
      _ = try await server.removeField("x", of: "Note", fromDevelopmentOf: "iCloud.test")
    }
    #expect(unknown.contains("There is no field 'x' in record 'Note'"))
    let unknownType = try await administrator.refusal {
      _ = try await server.removeRecordType("X", fromDevelopmentOf: "iCloud.test")
    }
    #expect(unknownType.contains("There is no record type 'X'"))
  }

  @Test(arguments: [false, true])
  func `A process that continues a completed replacement erases nothing that was saved since`(
    resets: Bool
  ) async throws {
    let engine = InterleavingEngine()
    let (cloud, other) = (Cloud(engine: engine), Cloud(engine: engine))
    let (ada, bob) = (try await cloud.user("_ada"), try await other.user("_bob"))
    for client in [ada, bob] {
      try await client.makeZone("Z")
      _ = try await client.put("old", "Gone", zone: "Z")
    }
    let writes = Mutex(0)
    engine.betweenWrites {
      let number = writes.withLock { count in
        count += 1
        return count
      }
      // The first write stores the replacement, and the second one erases data of Ada. Then another
      // process completes the replacement, and Bob saves.
      guard number == 2 else { return }
      try await other.server.runMaintenance()
      if resets { try await bob.makeZone("Z") }
      _ = try await bob.put("new", "Gone", zone: "Z")
    }
    if resets {
      _ = try await cloud.server.resetDevelopment(of: "iCloud.test")
    } else {
      try await SchemaAdministrator(cloud).importing("DEFINE SCHEMA RECORD TYPE Note (a STRING);")
    }
    let left = try await bob.lookUp(zone: "Z", "old", "new").records
    #expect(left.first == "old: NOT_FOUND" && left.last?.hasPrefix("new@") == true, "\(left)")
  }

  // MARK: Deploying

  @Test func `A deployed schema closes production`() async throws {
    let here = try await cloud.user("_ada")
    let there = try await cloud.user("_ada", environment: .production)
    _ = try await here.put("a", "Note", #""text":{"value":"x"}"#)
    #expect(try await there.put("a", "Note")["records"][0]["serverErrorCode"].isThere)
    let plan = try await cloud.server.planDeployment(of: "iCloud.test")
    let difference = try await administrator.deploy()
    #expect(plan == difference && difference.text.contains("+ RECORD TYPE Note"))
    #expect(
      try await there.put("a", "Note", #""text":{"value":"x"}"#)["records"][0]["recordChangeTag"]
        .isThere)
    let refused = try await there.put("a", "Note", #""more":{"value":"x"}"#)["records"][0]
    #expect(
      refused["reason"].text?.contains("Cannot create or modify field 'more' in record 'Note'")
        == true)
    #expect(try await administrator.deploy().isEmpty)
    #expect(try await cloud.server.schemaDifference(of: "iCloud.test").isEmpty)
  }

  @Test func `A schema that would remove parts of production cannot be deployed`() async throws {
    _ = try await cloud.user("_ada")
    try await administrator.importing(
      #"DEFINE SCHEMA RECORD TYPE T (a STRING QUERYABLE, GRANT READ TO "_world");"#)
    try await administrator.deploy()
    try await administrator.importing("DEFINE SCHEMA RECORD TYPE T (a STRING);")
    let refusal = try await administrator.refusal { try await administrator.deploy() }
    #expect(
      refusal.contains("The field 'a' in record 'T' is QUERYABLE in production"), "\(refusal)")
    #expect(refusal.contains("The role '_world' may READ"), "\(refusal)")
    try await administrator.importing("DEFINE SCHEMA RECORD TYPE T (a STRING QUERYABLE);")
    #expect(
      try await administrator.refusal { try await administrator.deploy() }.contains(
        "revoke permissions"))
    #expect(try await administrator.deploy(revoking: true).text.contains("GRANT READ"))
  }

  // MARK: Reset

  @Test func `A reset takes production's schema and deletes development's records`() async throws {
    let ada = try await cloud.user("_ada")
    let bob = try await cloud.user("_bob")
    let there = try await cloud.user("_ada", environment: .production)
    _ = try await ada.put("keep", "Note", #""text":{"value":"x"}"#)
    try await administrator.deploy()
    _ = try await there.put("keep", "Note", #""text":{"value":"x"}"#)
    for client in [ada, bob] {
      try await client.makeZone("Z")
      _ = try await client.put("r", "Draft", #""n":{"value":1}"#, zone: "Z")
    }
    _ = try await ada.modify(
      in: .public, ("create", #""recordName":"p","recordType":"Note","fields":{}"#))
    let token = try await ada.databaseChanges()["syncToken"].text
    let replacement = try await cloud.server.resetDevelopment(of: "iCloud.test")
    #expect(replacement.erasedTypes == ["Draft"])
    #expect(try await ada.lookUp(zone: "Z", "r").records == ["r: ZONE_NOT_FOUND"])
    #expect(try await bob.lookUp(zone: "Z", "r").records == ["r: ZONE_NOT_FOUND"])
    #expect(try await ada.lookUp("keep").records == ["keep: NOT_FOUND"])
    #expect(try await ada.lookUp(in: .public, "p").records == ["p: NOT_FOUND"])
    #expect(try await there.lookUp("keep").records == ["keep@1"])
    #expect(try await administrator.text() == administrator.text(.production))
    // Devices are notified and can start over.
    #expect(try await ada.databaseChanges(since: token)["zones"][0]["deleted"].flag == true)
    _ = try await ada.put("r", "Draft", #""n":{"value":"now a text"}"#)
    #expect(try await ada.lookUp("r")["records"][0].field("n") == "now a text")
  }

  @Test func `A reset keeps user records`() async throws {
    let accountServer = try await AccountServer(on: cloud)
    try await accountServer.add("ada@example.com")
    let name = try await accountServer.signIn("ada@example.com").userRecordName
    let ada = try await cloud.user(name)
    let own = #""recordName":"\#(name)","recordType":"Users","fields":{"nick":{"value":"A"}}"#
    #expect(
      try await ada.modify(in: .public, ("forceUpdate", own))["records"][0].field("nick") == "A")
    _ = try await cloud.server.resetDevelopment(of: "iCloud.test")
    let found = try await ada.lookUp(in: .public, name)["records"][0]
    #expect(found["recordType"].text == "Users" && found.field("nick") == nil, "\(found)")
    #expect(found["created"]["userRecordName"].text == name)
    #expect(
      try await ada.modify(in: .public, ("forceUpdate", own))["records"][0].field("nick") == "A")
  }
}
