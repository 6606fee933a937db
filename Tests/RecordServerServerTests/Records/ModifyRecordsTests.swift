import CloudRecords
import CloudWire
import RecordServer
import Testing

@Suite struct `Modifying records` {
  private let cloud = Cloud()

  private func note(_ name: String, _ title: String, tag: String? = nil) -> String {
    let tag = tag.map { #","recordChangeTag":"\#($0)""# } ?? ""
    return
      #""recordName":"\#(name)","recordType":"Note","fields":{"title":{"value":"\#(title)"}}\#(tag)"#
  }

  private func named(_ name: String, tag: String? = nil) -> String {
    let tag = tag.map { #","recordChangeTag":"\#($0)""# } ?? ""
    return #""recordName":"\#(name)"\#(tag)"#
  }

  @Test func `A created record is returned with its system fields`() async throws {
    let ada = try await cloud.user("_ada")
    let reply = try await ada.modify(("create", note("n1", "One")))
    let record = reply["records"][0]
    #expect(
      record.keys == [
        "created", "deleted", "fields", "modified", "pluginFields", "recordChangeTag", "recordName",
        "recordType",
        "zoneID",
      ])
    #expect(record.field("title") == "One")
    #expect(record["fields"]["title"]["type"].text == "STRING")
    #expect(record["created"]["timestamp"].number == 1_700_000_000_000)
    #expect(record["created"]["userRecordName"].text == "_ada")
    #expect(record["zoneID"]["zoneName"].text == "_defaultZone")
    #expect(record["zoneID"]["ownerRecordName"].text == "_ada")
    #expect(record["deleted"].flag == false)
  }

  /// The result without a token, with one from before the creation, and with one from after the
  /// deletion.
  @Test(
    arguments: [(nil, "n1@3"), ("before", "n1: NOT_FOUND"), ("after", "n1@3")]
      as [(String?, String)])
  func `A record deleted since the device's token is not created`(
    knowing: String?, result: String
  ) async throws {
    let ada = try await cloud.user("_ada")
    try await ada.makeZone("Z")
    func token() async throws -> String? {
      try await ada.changes(zone: "Z")["zones"][0]["syncToken"].text
    }
    let before = try await token()
    _ = try await ada.modify(zone: "Z", ("create", note("n1", "One")))
    _ = try await ada.modify(zone: "Z", ("forceDelete", named("n1")))
    let known = try await knowing == "before" ? before : token()
    let reply = try await ada.modify(
      in: "Z", knowing: knowing == nil ? nil : known, "create", note("n1", "Late"))
    #expect(reply.records == [result])
  }

  @Test func `A record deleted before its creating request arrives is not created`() async throws {
    let ada = try await cloud.user("_ada")
    try await ada.makeZone("Z")
    let token = try await ada.changes(zone: "Z")["zones"][0]["syncToken"].text
    #expect(
      try await ada.modify(zone: "Z", ("forceDelete", named("n1"))).records == ["n1: deleted"])
    // The deletion leaves a tombstone only if the client sends its token of the zone.
    #expect(try await ada.changes(zone: "Z", since: token)["zones"][0].records == [])
    #expect(
      try await ada.modify(in: "Z", knowing: token, "forceDelete", named("n1")).records == [
        "n1: deleted"
      ])
    #expect(try await ada.changes(zone: "Z", since: token)["zones"][0].records == ["n1: deleted"])
    #expect(
      try await ada.modify(in: "Z", knowing: token, "create", note("n1", "Late")).records == [
        "n1: NOT_FOUND"
      ])
  }

  @Test func `A record for a former zone of the same name is not created`() async throws {
    let ada = try await cloud.user("_ada")
    try await ada.makeZone("Z")
    let token = try await ada.changes(zone: "Z")["zones"][0]["syncToken"].text
    _ = try await ada.ask(
      .private, .zonesModify,
      #"{"operations":[{"operationType":"delete","zone":{"zoneID":{"zoneName":"Z"}}}]}"#)
    try await ada.makeZone("Z")
    let reply = try await ada.modify(in: "Z", knowing: token, "create", note("n1", "Late"))
    #expect(reply.records == ["n1: BAD_REQUEST"])
    #expect(try await ada.changes(zone: "Z")["zones"][0].records == [])
  }

  @Test func `A record without a name gets one`() async throws {
    let ada = try await cloud.user("_ada")
    let reply = try await ada.modify(("create", #""recordType":"Note","fields":{}"#))
    #expect(reply["records"][0]["recordName"].text == "00000000-0000-0000-0000-000000000001")
  }

  /// Each kind of operation on an existing record (tag 1) and on a missing one.
  @Test(arguments: [
    ("create", "EXISTS", "new@1"), ("update", "n1@2", "NOT_FOUND"),
    ("replace", "n1@2", "NOT_FOUND"),
    ("forceUpdate", "n1@2", "new@1"), ("forceReplace", "n1@2", "new@1"),
    ("delete", "deleted", "NOT_FOUND"),
    ("forceDelete", "deleted", "deleted"),
  ])
  func `Each kind of operation has its own effect`(
    kind: String, onExisting: String, onMissing: String
  )
    async throws
  {
    let ada = try await cloud.user("_ada")
    let missing = try await ada.modify((kind, note("new", "A", tag: "1")))
    #expect(missing.records == [onMissing.contains("@") ? onMissing : "new: \(onMissing)"])
    let other = try await Cloud().user("_ada")
    _ = try await other.modify(("create", note("n1", "One")))
    let existing = try await other.modify((kind, note("n1", "Two", tag: "1")))
    #expect(existing.records == [onExisting.contains("@") ? onExisting : "n1: \(onExisting)"])
  }

  @Test(arguments: [
    ("update", true), ("replace", true), ("delete", true), ("forceUpdate", false),
    ("forceDelete", false),
  ])
  func `A stale tag is a conflict unless the operation is forced`(kind: String, counts: Bool)
    async throws
  {
    let ada = try await cloud.user("_ada")
    _ = try await ada.modify(("create", note("n1", "One")))
    _ = try await ada.modify(("forceUpdate", note("n1", "Two")))
    let stale = try await ada.modify((kind, note("n1", "Three", tag: "1")))
    guard counts else {
      #expect(stale.records == [kind == "forceDelete" ? "n1: deleted" : "n1@3"], "\(stale)")
      return
    }
    #expect(stale.records == ["n1: CONFLICT"], "\(stale)")
    let without = try await ada.modify((kind, note("n1", "Three")))
    #expect(without.records == ["n1: BAD_REQUEST"])
    let fresh = try await ada.modify((kind, note("n1", "Three", tag: "2")))
    #expect(fresh.records == [kind == "delete" ? "n1: deleted" : "n1@3"])
  }

  @Test
  func `An update keeps fields that it does not name, a replacement does not, and null clears`()
    async throws
  {
    let ada = try await cloud.user("_ada")
    let both =
      #""recordName":"n1","recordType":"Note","fields":{"a":{"value":"1"},"b":{"value":"2"},"c":{"value":"3"}}"#
    _ = try await ada.modify(("create", both))
    let updated = try await ada.modify(
      (
        "forceUpdate",
        #""recordName":"n1","fields":{"a":{"value":"x"},"b":{"value":null},"d":null,"c":{}}"#
      ))
    #expect(updated["records"][0]["fields"].keys == ["a"])
    let replaced = try await ada.modify(
      ("forceReplace", #""recordName":"n1","fields":{"b":"bare"}"#))
    #expect(replaced["records"][0]["fields"].keys == ["b"])
    #expect(replaced["records"][0].field("b") == "bare")
  }

  @Test func `Results have the order of operations, including failures`() async throws {
    let ada = try await cloud.user("_ada")
    _ = try await ada.modify(("create", note("n1", "One")))
    let reply = try await ada.modify(
      ("create", note("n2", "Two")), ("create", note("n1", "Again")), ("delete", named("none")),
      ("forceDelete", named("none either")), ("create", note("n3", "Three")))
    #expect(reply.status == 200)
    #expect(
      reply.records == ["n2@2", "n1: EXISTS", "none: NOT_FOUND", "none either: deleted", "n3@3"])
    for item in reply["records"].list where item["serverErrorCode"].isThere {
      #expect(item["reason"].text?.isEmpty == false)
    }
  }

  @Test
  func `In a custom zone a batch is atomic unless it says otherwise`() async throws {
    let ada = try await cloud.user("_ada")
    try await ada.makeZone("Notes")
    _ = try await ada.modify(zone: "Notes", ("create", note("n1", "One")))
    let whole = try await ada.modify(
      zone: "Notes", ("create", note("n2", "Two")), ("create", note("n1", "Again")))
    #expect(whole.records == ["n2: ATOMIC_ERROR", "n1: EXISTS"])
    #expect(try await ada.lookUp(zone: "Notes", "n2").records == ["n2: NOT_FOUND"])
    let parts = try await ada.modify(
      zone: "Notes", atomic: false, ("create", note("n2", "Two")), ("create", note("n1", "Again")))
    #expect(parts.records == ["n2@2", "n1: EXISTS"])
  }

  @Test func `A record keeps its type`() async throws {
    let ada = try await cloud.user("_ada")
    #expect(try await ada.modify(("create", note("n1", "One"))).records == ["n1@1"])
    let other = try await ada.modify(
      ("forceUpdate", #""recordName":"n1","recordType":"Other","fields":{}"#))
    #expect(other.records == ["n1: BAD_REQUEST"])
    #expect(
      other["records"][0]["reason"].text?.contains("never changes to Other") == true, "\(other)")
  }

  @Test func `A record's change is never dated before its creation, even if the clock is set back`()
    async throws
  {
    let ada = try await cloud.user("_ada")
    _ = try await ada.modify(("create", note("n1", "One")))
    cloud.pass(seconds: -3_600)
    let changed = try await ada.modify(("forceUpdate", note("n1", "Two")))["records"][0]
    #expect(changed["created"]["timestamp"].number == 1_700_000_000_000)
    #expect(changed["modified"]["timestamp"].number == 1_700_000_000_000)
    cloud.pass(seconds: 3_601)
    let later = try await ada.modify(("forceUpdate", note("n1", "Three")))["records"][0]
    #expect(later["modified"]["timestamp"].number == 1_700_000_001_000)
  }

  @Test func `A failed batch does not extend the schema`() async throws {
    let ada = try await cloud.user("_ada")
    try await ada.makeZone("Notes")
    _ = try await ada.modify(
      zone: "Notes",
      ("create", #""recordName":"a","recordType":"New","fields":{"x":{"value":"text"}}"#),
      ("delete", named("none")))
    let other = try await ada.modify(
      zone: "Notes",
      ("create", #""recordName":"a","recordType":"New","fields":{"x":{"value":5,"type":"INT64"}}"#))
    #expect(other.records == ["a@1"])
  }

  @Test(arguments: [
    "", "naïve", String(repeating: "x", count: 256), String(repeating: "x", count: 100_000),
  ])
  func `An invalid name is an error of its record only`(name: String) async throws {
    let ada = try await cloud.user("_ada")
    try await ada.makeZone("Notes")
    let parts = try await ada.modify(
      zone: "Notes", atomic: false, ("create", note("n1", "One")), ("create", note(name, "")),
      ("forceDelete", named(name)),
      ("create", note("n2", "Two")))
    #expect(parts.status == 200, "\(parts)")
    #expect(parts.records == ["n1@1", "\(name): BAD_REQUEST", "\(name): BAD_REQUEST", "n2@2"])
    let reason = try #require(parts["records"][1]["reason"].text)
    #expect(reason.hasPrefix("The record name “") && reason.utf8.count < 400, "\(reason)")
    let whole = try await ada.modify(
      zone: "Notes", ("create", note("n3", "")), ("create", note(name, "")))
    #expect(whole.records == ["n3: ATOMIC_ERROR", "\(name): BAD_REQUEST"])
    #expect(try await ada.lookUp(zone: "Notes", "n3").records == ["n3: NOT_FOUND"])
  }

  @Test func `Too many participants are an error of the share only`() async throws {
    var limits = ServiceLimits()
    limits.participantsPerShare = 3
    let ada = try await Cloud(limits: limits).user("_ada")
    try await ada.makeZone("Notes")
    let people = (0..<4).map {
      #"{"userIdentity":{"lookupInfo":{"emailAddress":"p\#($0)@example.com"}},"type":"USER"}"#
    }
    let share =
      #""recordName":"cloudkit.zoneshare","recordType":"cloudkit.share","fields":{},"participants":[\#(people.joined(separator: ","))]"#
    let reply = try await ada.modify(
      zone: "Notes", atomic: false, ("create", share), ("create", note("n1", "One")))
    #expect(reply.records == ["cloudkit.zoneshare: BAD_REQUEST", "n1@1"])
    #expect(reply["records"][0]["extensionErrorCode"].text == "TOO_MANY_PARTICIPANTS")
  }

  @Test func `Repeated records, too many operations and invalid names are rejected`() async throws {
    var limits = ServiceLimits()
    limits.operationsPerRequest = 2
    let ada = try await Cloud(limits: limits).user("_ada")
    let twice = try await ada.modify(
      ("create", note("n1", "One")), ("forceUpdate", note("n1", "Two")))
    #expect(twice.status == 400)
    let many = try await ada.modify(
      ("create", note("n1", "")), ("create", note("n2", "")), ("create", note("n3", "")))
    #expect(many.status == 400)
    #expect(many["extensionErrorCode"].text == "LIMIT_EXCEEDED")
    let unnamed = try await ada.modify(("create", note(String(repeating: "x", count: 256), "")))
    #expect(unnamed["records"][0]["serverErrorCode"].text == "BAD_REQUEST")
    #expect(
      try await ada.modify(("create", #""recordName":"a","fields":{}"#)).records == [
        "a: BAD_REQUEST"
      ])
    #expect(
      try await ada.modify(zone: "none", ("create", note("n", ""))).records == ["n: ZONE_NOT_FOUND"]
    )
  }

  @Test func `A record larger than the limit is rejected`() async throws {
    var limits = ServiceLimits()
    limits.recordBytes = 1_000
    let ada = try await Cloud(limits: limits).user("_ada")
    let reply = try await ada.modify(("create", note("n1", String(repeating: "x", count: 1_000))))
    #expect(reply.records == ["n1: BAD_REQUEST"])
    #expect(reply["records"][0]["reason"].text?.contains("record too large") == true)
  }

  @Test func `Every type of value can be written and read`() async throws {
    let ada = try await cloud.user("_ada")
    let place = #"{"latitude":1.5,"longitude":-2.25,"altitude":3,"timestamp":1700000000000}"#
    let asset = try await ada.upload("one").text
    let fields = [
      #""string":{"value":"é\u0000"}"#, #""int":{"value":9223372036854775807,"type":"INT64"}"#,
      #""double":{"value":3,"type":"DOUBLE"}"#,
      #""time":{"value":1422312944104,"type":"TIMESTAMP"}"#,
      #""bytes":{"value":"AAEC","type":"BYTES"}"#,
      #""link":{"value":{"recordName":"x","action":"NONE"}}"#,
      #""place":{"value":\#(place)}"#, #""file":{"value":\#(asset),"type":"ASSETID"}"#,
      #""flag":{"value":true}"#,
      #""texts":{"value":["a","b"]}"#, #""none":{"value":[],"type":"STRING_LIST"}"#,
      #""times":{"value":[1,2],"type":"TIMESTAMP_LIST"}"#, #""files":{"value":[\#(asset)]}"#,
      #""secret":{"value":"c2VhbGVk","type":"STRING","isEncrypted":true}"#,
    ].joined(separator: ",")
    let reply = try await ada.modify(
      ("create", #""recordName":"all","recordType":"All","fields":{\#(fields)}"#))
    #expect(reply.records == ["all@1"], "\(reply)")
    let record = try await ada.lookUp("all")["records"][0]
    let types = record["fields"].keys.map { "\($0) \(record["fields"][$0]["type"].text ?? "?")" }
    #expect(
      types == [
        "bytes BYTES", "double DOUBLE", "file ASSETID", "files ASSETID_LIST", "flag INT64",
        "int INT64",
        "link REFERENCE",
        "none STRING_LIST", "place LOCATION", "secret STRING", "string STRING", "texts STRING_LIST",
        "time TIMESTAMP",
        "times TIMESTAMP_LIST",
      ])
    #expect(record.field("string") == "é\u{0}")
    #expect(record["fields"]["int"]["value"].tree as? Int64 == .max)
    let address = record["fields"]["file"]["value"]["downloadURL"].text
    #expect(address?.hasPrefix("https://server/assets/download?ticket=") == true)
    #expect(record["fields"]["file"]["value"]["receipt"].isThere == false)
    #expect(record["fields"]["secret"]["isEncrypted"].flag == true)
    #expect(record["fields"]["place"]["value"]["timestamp"].number == 1_700_000_000_000)
  }

  @Test(arguments: [
    (#"{"value":1.5,"type":"TIMESTAMP"}"#, "Invalid value, expected type TIMESTAMP"),
    (#"{"value":{"fileChecksum":"1","size":1},"type":"ASSET"}"#, "Unexpected input"),
    (#"{"value":"*","type":"BYTES"}"#, "base64"),
    (#"{"value":{"what":1}}"#, "expected a reference"),
    (#"{"value":[1,"a"]}"#, "one type"), (#"{"value":[[1]]}"#, "lists of lists"),
    (#"{"value":{"latitude":91,"longitude":0}}"#, "latitude"),
    (#"{"value":1,"type":"STRING"}"#, "expected a string"),
    (#"{"value":1e400,"type":"DOUBLE"}"#, ""),
    (#"{"value":9223372036854775808,"type":"INT64"}"#, ""),
    (#"{"value":{"recordName":"x","action":"SOMETIMES"}}"#, "action"),
  ])
  func `An invalid value is rejected with its path`(value: String, reason: String) async throws {
    let ada = try await cloud.user("_ada")
    let reply = try await ada.modify(
      ("create", #""recordName":"a","recordType":"T","fields":{"x":\#(value)}"#))
    #expect(reply.status == 400)
    #expect(reply["serverErrorCode"].text == "BAD_REQUEST")
    #expect(reply["reason"].text?.contains(reason) == true, "\(reply)")
    #expect(reply["reason"].text?.contains("operations[0].record.fields.x") == true, "\(reply)")
  }

  @Test func `Numbers are texts for clients that request it`() async throws {
    let ada = try await cloud.user("_ada")
    _ = try await ada.modify(
      (
        "create",
        #""recordName":"a","recordType":"T","fields":{"n":{"value":9007199254740993,"type":"INT64"},"d":{"value":0.5}}"#
      ))
    for key in ["numbersAsStrings", "numberAsStrings"] {
      let reply = try await ada.ask(
        .private, .recordsLookup, #"{"records":[{"recordName":"a"}],"\#(key)":true}"#)
      #expect(reply["records"][0]["fields"]["n"]["value"].text == "9007199254740993")
      #expect(reply["records"][0]["fields"]["d"]["value"].text == "0.5")
    }
    let back = try await ada.modify(
      (
        "forceUpdate",
        #""recordName":"a","fields":{"n":{"value":"9007199254740995","type":"INT64"}}"#
      ))
    #expect(back["records"][0]["fields"]["n"]["value"].tree as? Int64 == 9_007_199_254_740_995)
  }

  @Test func `Coordinates stay numbers for clients that request texts`() async throws {
    let ada = try await cloud.user("_ada")
    let place = #"{"latitude":60.5,"longitude":25,"altitude":3,"timestamp":1700000000000}"#
    _ = try await ada.modify(
      (
        "create",
        #""recordName":"a","recordType":"T","fields":{"at":{"value":\#(place)},"list":{"value":[\#(place)],"type":"LOCATION_LIST"},"when":{"value":5,"type":"TIMESTAMP"}}"#
      ))
    let reply = try await ada.ask(
      .private, .recordsLookup, #"{"records":[{"recordName":"a"}],"numbersAsStrings":true}"#)
    let fields = reply["records"][0]["fields"]
    for found in [fields["at"]["value"], fields["list"]["value"][0]] {
      #expect(found["latitude"].number == 60.5 && found["longitude"].number == 25, "\(reply)")
      #expect(found["altitude"].number == 3 && found["timestamp"].number == 1_700_000_000_000)
    }
    #expect(fields["when"]["value"].text == "5")
  }

  @Test func `Only the desired fields are returned`() async throws {
    let ada = try await cloud.user("_ada")
    _ = try await ada.modify(
      (
        "create",
        #""recordName":"a","recordType":"T","fields":{"x":{"value":"1"},"y":{"value":"2"}}"#
      ))
    for (keys, expected) in [("[]", []), (#"["x","recordName"]"#, ["x"]), ("null", ["x", "y"])] {
      let reply = try await ada.ask(
        .private, .recordsLookup, #"{"records":[{"recordName":"a"}],"desiredKeys":\#(keys)}"#)
      #expect(reply["records"][0]["fields"].keys == expected)
    }
  }

  @Test func `An asset needs a receipt or an existing reference`() async throws {
    let ada = try await cloud.user("_ada")
    func save(_ name: String, _ asset: String) async throws -> [String] {
      try await ada.modify(
        (
          "forceUpdate",
          #""recordName":"\#(name)","recordType":"T","fields":{"file":{"value":{\#(asset)}}}"#
        )
      ).records
    }
    let asset = try await ada.upload("one")
    let file = #""fileChecksum":"\#(asset.checksum)","size":3"#
    #expect(try await save("a", file) == ["a: BAD_REQUEST"])
    #expect(try await save("a", file + #","receipt":"wrong""#) == ["a: BAD_REQUEST"])
    #expect(try await save("a", file + #","receipt":"\#(asset.receipt)""#) == ["a@1"])
    #expect(try await save("a", file) == ["a@2"])
    #expect(try await save("b", file) == ["b: BAD_REQUEST"])
  }

  @Test func `The modifying user is the caller, whatever the client says`() async throws {
    let ada = try await cloud.user("_ada")
    let forged =
      #""recordName":"a","recordType":"T","fields":{},"created":{"userRecordName":"_eve","timestamp":1},"modified":{"deviceID":"phone","userRecordName":"_eve"}"#
    _ = try await ada.modify(("create", forged))
    cloud.pass(seconds: 60)
    let record = try await ada.modify(("forceUpdate", #""recordName":"a","fields":{}"#))["records"][
      0]
    #expect(record["created"]["userRecordName"].text == "_ada")
    #expect(record["created"]["deviceID"].text == "phone")
    #expect(record["modified"]["timestamp"].number == 1_700_000_060_000)
  }
}

extension Client {
  /// Sends one operation with the client's token of the zone's feed.
  fileprivate func modify(
    in zone: String, knowing token: String?, _ kind: String, _ record: String
  ) async throws -> Reply {
    let known = token.map { #","syncToken":"\#($0)""# } ?? ""
    return try await ask(
      .private, .recordsModify,
      #"{"operations":[{"operationType":"\#(kind)","record":{\#(record)}}],"zoneID":{"zoneName":"\#(zone)"}\#(known)}"#
    )
  }
}
