import CloudRecords
import RecordServer
import RecordStorage
import Testing

@Suite struct `References and parents` {
  private let cloud = Cloud()

  private func link(_ name: String, to target: String, _ action: String) -> String {
    #""recordName":"\#(name)","recordType":"Link","fields":{"to":{"value":{"recordName":"\#(target)","action":"\#(action)"}}}"#
  }

  private func child(_ name: String, of parent: String) -> String {
    #""recordName":"\#(name)","recordType":"Node","fields":{},"parent":{"recordName":"\#(parent)"}"#
  }

  private func node(_ name: String) -> String {
    #""recordName":"\#(name)","recordType":"Node","fields":{}"#
  }
  private func named(_ name: String) -> String { #""recordName":"\#(name)""# }

  private func client() async throws -> Client {
    let ada = try await cloud.user("_ada")
    try await ada.makeZone("Z")
    return ada
  }

  @Test func `Records with a deleting reference are deleted with their target`() async throws {
    let ada = try await client()
    _ = try await ada.modify(
      zone: "Z", ("create", node("a")), ("create", link("b", to: "a", "DELETE_SELF")),
      ("create", link("c", to: "b", "DELETE_SELF")), ("create", link("d", to: "a", "NONE")))
    let token = try await ada.changes(zone: "Z")["zones"][0]["syncToken"].text
    #expect(try await ada.modify(zone: "Z", ("forceDelete", named("a"))).records == ["a: deleted"])
    let page = try await ada.changes(zone: "Z", since: token)["zones"][0]
    #expect(page.records.sorted() == ["a: deleted", "b: deleted", "c: deleted"])
    #expect(try await ada.lookUp(zone: "Z", "d").records == ["d@4"])
  }

  @Test func `The strongest of a field's references to one record counts`() async throws {
    let ada = try await client()
    func list(_ links: (String, String)...) -> String {
      let members = links.map { #"{"recordName":"\#($0.0)","action":"\#($0.1)"}"# }
        .joined(separator: ",")
      return #""recordName":"l","recordType":"Links","fields":{"to":{"value":[\#(members)]}}"#
    }
    func delete(_ name: String) async throws -> [String] {
      try await ada.modify(zone: "Z", ("forceDelete", named(name))).records
    }
    for name in ["a", "b", "c"] { _ = try await ada.modify(zone: "Z", ("create", node(name))) }
    let saved = try await ada.modify(
      zone: "Z",
      (
        "create",
        list(
          ("a", "DELETE_SELF"), ("b", "NONE"), ("a", "VALIDATE"), ("c", "VALIDATE"),
          ("c", "DELETE_SELF"), ("b", "DELETE_SELF"))
      ))
    #expect(saved.records == ["l@4"])
    #expect(try await delete("a") == ["a: VALIDATING_REFERENCE_ERROR"])
    #expect(try await delete("c") == ["c: VALIDATING_REFERENCE_ERROR"])
    _ = try await ada.modify(
      zone: "Z", ("forceUpdate", list(("b", "DELETE_SELF"), ("c", "NONE"), ("b", "DELETE_SELF"))))
    #expect(try await delete("a") == ["a: deleted"])
    #expect(try await delete("c") == ["c: deleted"])
    #expect(try await delete("b") == ["b: deleted"])
    #expect(try await ada.lookUp(zone: "Z", "l").records == ["l: NOT_FOUND"])
  }

  @Test func `A cycle of deleting references ends`() async throws {
    let ada = try await client()
    _ = try await ada.modify(
      zone: "Z", ("create", link("a", to: "b", "DELETE_SELF")),
      ("create", link("b", to: "a", "DELETE_SELF")))
    #expect(try await ada.modify(zone: "Z", ("forceDelete", named("a"))).records == ["a: deleted"])
    #expect(try await ada.lookUp(zone: "Z", "b").records == ["b: NOT_FOUND"])
  }

  @Test func `The number of records that are deleted with one target is limited`() async throws {
    var limits = ServiceLimits()
    limits.cascadesPerTarget = 2
    let ada = try await Cloud(limits: limits).user("_ada")
    _ = try await ada.modify(("create", node("a")))
    for name in ["b", "c", "d"] {
      _ = try await ada.modify(("create", link(name, to: "a", "DELETE_SELF")))
    }
    #expect(try await ada.modify(("forceDelete", named("a"))).records == ["a: BAD_REQUEST"])
    _ = try await ada.modify(("forceDelete", named("b")))
    #expect(try await ada.modify(("forceDelete", named("a"))).records == ["a: deleted"])
  }

  @Test func `A validating reference requires its target and prevents its deletion`() async throws {
    let ada = try await client()
    let early = try await ada.modify(zone: "Z", ("create", link("v", to: "a", "VALIDATE")))
    #expect(early.records == ["v: VALIDATING_REFERENCE_ERROR"])
    // Within one batch the order does not matter.
    let both = try await ada.modify(
      zone: "Z", ("create", link("v", to: "a", "VALIDATE")), ("create", node("a")))
    #expect(both.records == ["v@1", "a@2"])
    #expect(
      try await ada.modify(zone: "Z", ("forceDelete", named("a"))).records == [
        "a: VALIDATING_REFERENCE_ERROR"
      ])
    let together = try await ada.modify(
      zone: "Z", ("forceDelete", named("a")), ("forceDelete", named("v")))
    #expect(together.records == ["a: deleted", "v: deleted"])
  }

  @Test func `A failure of the target fails the whole chain`() async throws {
    let ada = try await client()
    _ = try await ada.modify(zone: "Z", ("create", node("x")))
    let reply = try await ada.modify(
      zone: "Z", atomic: false, ("create", child("c", of: "b")), ("create", child("b", of: "a")),
      ("create", #""recordName":"a","fields":{}"#), ("create", child("d", of: "x")))
    #expect(
      reply.records == [
        "c: VALIDATING_REFERENCE_ERROR", "b: VALIDATING_REFERENCE_ERROR", "a: BAD_REQUEST", "d@2",
      ])
    #expect(try await ada.lookUp(zone: "Z", "b", "c").records == ["b: NOT_FOUND", "c: NOT_FOUND"])
  }

  /// The number of bytes that a batch reads if its first record and a chain of dependents fail.
  ///
  /// Each time the batch runs, its deletion looks for children.
  private func bytesRead(chain length: Int) async throws -> Int {
    let engine = ByteCountingEngine()
    let zone = try await SharedZone(Cloud(engine: engine))
    try await zone.modify(.save("x"), .save("kid", under: .record("x")), .save("y"))
    var chain = [SharedZoneOperation(kind: "create", record: #""recordName":"0","fields":{}"#)]
    for number in 1...length {
      chain.append(.save("\(number)", under: .record("\(number - 1)")))
    }
    let others: [SharedZoneOperation] = [.delete("x"), .save("kid", under: .record("y"))]
    engine.reset()
    let reply = try await zone.modify(atomic: false, others + chain.reversed())
    #expect(reply.records[0] == "x: deleted" && reply.records[1].hasPrefix("kid@"), "\(reply)")
    #expect(reply.records.dropFirst(2).allSatisfy { $0.contains(": ") }, "\(reply)")
    return engine.bytes
  }

  @Test func `A long failed chain runs as often as a short one`() async throws {
    let (long, short) = (try await bytesRead(chain: 100), try await bytesRead(chain: 1))
    #expect(long == short)
  }

  @Test func `A reference to another zone is rejected`() async throws {
    let ada = try await client()
    let other =
      #""recordName":"a","recordType":"T","fields":{"to":{"value":{"recordName":"x","action":"NONE","zoneID":{"zoneName":"Other"}}}}"#
    #expect(try await ada.modify(zone: "Z", ("create", other)).records == ["a: BAD_REQUEST"])
  }

  /// A leaf of the tree with a reference to its root.
  private func leaf(referringIn zoneID: String) -> SharedZoneOperation {
    let target = #"{"recordName":"root","action":"VALIDATE","zoneID":\#(zoneID)}"#
    let fields = #""fields":{"to":{"value":\#(target)},"all":{"value":[\#(target)]}}"#
    return SharedZoneOperation(
      kind: "forceUpdate",
      record:
        #""recordName":"leaf","recordType":"Node","parent":{"recordName":"root"},\#(fields)"#)
  }

  @Test func `References of participants stay in the owner's zone`() async throws {
    let zone = try await SharedZone(cloud)
    let bob = try await cloud.user("_bob")
    try await bob.makeZone(SharedZone.name)
    try await zone.modify(.save("root"))
    try await zone.share("S", of: "root", with: [(bob, "READ_WRITE")])
    let toOwn = leaf(referringIn: Client.zoneID(SharedZone.name, "_bob"))
    #expect(try await zone.modify(by: bob, toOwn).records == ["leaf: BAD_REQUEST"])
    for owner in [nil, "__defaultOwner__", "_ada"] {
      let saving = leaf(referringIn: Client.zoneID(SharedZone.name, owner))
      #expect(try await zone.modify(by: bob, saving).records[0].hasPrefix("leaf@"))
      let fields = try await zone.lookUp(by: bob, ["leaf"])["records"][0]["fields"]
      for target in [fields["to"]["value"], fields["all"]["value"][0]] {
        let place = target["zoneID"]
        #expect(target["recordName"].text == "root" && place["zoneName"].text == SharedZone.name)
        #expect(place["ownerRecordName"].text == "_ada")
      }
    }
    let saving = leaf(referringIn: Client.zoneID(SharedZone.name, "_bob"))
    #expect(try await zone.modify(saving).records == ["leaf: BAD_REQUEST"])
  }

  @Test func `A parent reference requires its parent and prevents its deletion`() async throws {
    let ada = try await client()
    #expect(
      try await ada.modify(zone: "Z", ("create", child("c", of: "p"))).records == [
        "c: VALIDATING_REFERENCE_ERROR"
      ])
    let both = try await ada.modify(
      zone: "Z", ("create", child("c", of: "p")), ("create", node("p")))
    #expect(both["records"][0]["parent"]["recordName"].text == "p")
    #expect(
      try await ada.modify(zone: "Z", ("forceDelete", named("p"))).records == [
        "p: VALIDATING_REFERENCE_ERROR"
      ])
    // An update without a parent keeps it, and null removes it.
    let kept = try await ada.modify(zone: "Z", ("forceUpdate", named("c")))
    #expect(kept["records"][0]["parent"]["recordName"].text == "p")
    _ = try await ada.modify(zone: "Z", ("forceUpdate", #""recordName":"c","parent":null"#))
    #expect(try await ada.modify(zone: "Z", ("forceDelete", named("p"))).records == ["p: deleted"])
  }

  @Test func `No record can become its own ancestor`() async throws {
    let ada = try await client()
    _ = try await ada.modify(zone: "Z", ("create", node("a")), ("create", child("b", of: "a")))
    let circle = try await ada.modify(zone: "Z", ("forceUpdate", child("a", of: "b")))
    #expect(circle.records == ["a: BAD_REQUEST"])
    #expect(
      try await ada.modify(zone: "Z", ("forceUpdate", child("a", of: "a"))).records == [
        "a: BAD_REQUEST"
      ])
  }

  @Test func `A record whose parent a batch deletes is not deleted by a cascade`() async throws {
    let ada = try await client()
    for name in ["a", "b", "r"] { _ = try await ada.modify(zone: "Z", ("create", node(name))) }
    // The batch makes r reference a, and makes r a child of b, which is deleted.
    let tied =
      #""recordName":"r","fields":{"to":{"value":{"recordName":"a","action":"DELETE_SELF"}}},"parent":{"recordName":"b"}"#
    let reply = try await ada.modify(
      zone: "Z", atomic: false, ("forceUpdate", tied), ("forceDelete", named("b")))
    #expect(reply.records == ["r: VALIDATING_REFERENCE_ERROR", "b: VALIDATING_REFERENCE_ERROR"])
    #expect(try await ada.lookUp(zone: "Z", "r").records == ["r@3"])
  }
}
