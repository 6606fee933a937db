import MirrorModel
import Testing

/// The objects that move when objects of several zones are related.
@Suite struct ZoneRulesTests {
  /// A graph of named objects in zones.
  private struct Graph: ZonedObjects {
    var edges: [(String, String)]
    var zones: [String: String]
    var unknown: Set<String> = []

    func neighbours(of object: String) -> [String] {
      edges.compactMap { one, other in
        one == object ? other : other == object ? one : nil
      }.sorted()
    }

    func zone(of object: String) -> String? { zones[object] }

    func isHome(_ zone: String) -> Bool { zone == "home" }

    func isKnown(_ object: String) -> Bool { !unknown.contains(object) }
  }

  @Test func `An object and all its related objects join the zone of a shared one`() throws {
    let graph = Graph(
      edges: [("a", "b"), ("b", "c")], zones: ["a": "share", "b": "home", "c": "home"])
    let decision = try ZoneRules(graph).join("b")
    guard case .moves(let objects, let zone) = decision else {
      Issue.record("\(decision)")
      return
    }
    #expect(Set(objects).isSuperset(of: ["b", "c"]) && zone == "share")
    #expect(try ZoneRules(graph).join("c") == .stays)
  }

  @Test func `Objects of two shares cannot be related`() throws {
    let graph = Graph(
      edges: [("a", "b"), ("b", "c")], zones: ["a": "share", "b": "home", "c": "other"])
    #expect(try ZoneRules(graph).join("b") == .isOfTwoShares("a", "share", "c", "other"))
  }

  @Test func `A child that gets a private parent leaves the share with its own children`() throws {
    let graph = Graph(
      edges: [("child", "parent"), ("grandchild", "child")],
      zones: ["child": "share", "grandchild": "share", "parent": "home"])
    #expect(
      try ZoneRules(graph).follow("child", "parent")
        == .moves(["child", "grandchild"], to: "home"))
  }

  @Test func `A new parent, or one with another path to the share, joins the share`() throws {
    var graph = Graph(
      edges: [("child", "parent")], zones: ["child": "share", "parent": "home"],
      unknown: ["parent"])
    #expect(
      try ZoneRules(graph).follow("child", "parent") == .moves(["child", "parent"], to: "share"))
    graph = Graph(
      edges: [("child", "parent"), ("child", "sister"), ("parent", "sister")],
      zones: ["child": "share", "sister": "share", "parent": "home"])
    let decision = try ZoneRules(graph).follow("child", "parent")
    guard case .moves(let objects, let zone) = decision else {
      Issue.record("\(decision)")
      return
    }
    #expect(objects.contains("parent") && zone == "share")
  }
}
