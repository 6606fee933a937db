import CloudRecords
import RecordServer
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

  @Test func `A reference to another zone is rejected`() async throws {
    let ada = try await client()
    let other =
      #""recordName":"a","recordType":"T","fields":{"to":{"value":{"recordName":"x","action":"NONE","zoneID":{"zoneName":"Other"}}}}"#
    #expect(try await ada.modify(zone: "Z", ("create", other)).records == ["a: BAD_REQUEST"])
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
