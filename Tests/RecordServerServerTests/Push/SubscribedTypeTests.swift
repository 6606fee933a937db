import CloudRecords
import CloudWire
import RecordServer
import Testing

/// Query subscriptions whose record types and fields come and go in development.
@Suite struct `Subscriptions and changing schemas` {
  /// A cloud with Ada, and a user whose notifications show that the hub processed all changes.
  ///
  /// Unlike the markers of `PushCloud`, that user's changes affect no subscriptions or devices.
  private struct World {
    let push: PushCloud
    let ada: Client
    /// The token of Ada's device.
    let token: String
    private let echo: Client
    private let echoToken: String

    /// Creates a cloud in which Ada has a note, and the hub knows no subscription of hers.
    init(_ push: PushCloud = PushCloud()) async throws {
      self.push = push
      ada = try await push.cloud.user("_ada")
      token = try await ada.device("phone")
      echo = try await push.cloud.user("_echo")
      echoToken = try await echo.device("phone")
      _ = try await echo.subscribe(#""subscriptionID":"s","subscriptionType":"database""#)
      _ = try await ada.put("old", "Note", #""title":{"value":"old"}"#)
      try await deliverChanges()
    }

    func deliverChanges() async throws {
      _ = try await echo.put("r", "Echo")
      #expect(await push.hub.next(for: echoToken) != nil)
    }

    /// The subscriptions of which Ada's device got notifications.
    func fired() async throws -> [String] {
      try await push.notifications(for: token).map(\.subscriptionIdentifier).sorted()
    }
  }

  private func subscription(_ name: String, filter title: String? = nil) -> String {
    let filters =
      title.map {
        #","filterBy":[{"comparator":"EQUALS","fieldName":"title","#
          + #""fieldValue":{"value":"\#($0)"}}]"#
      } ?? ""
    return
      #""subscriptionID":"\#(name)","subscriptionType":"query","#
      + #""query":{"recordType":"Note"\#(filters)},"firesOn":["create"]"#
  }

  @Test func `A subscription that was read without its type fires once the type exists`()
    async throws
  {
    let world = try await World()
    let created = try await world.ada.subscribe(
      subscription("all"), subscription("some", filter: "new"))
    try #require(created.subscriptions == ["all", "some"], "\(created)")
    _ = try await world.push.cloud.server.resetDevelopment(of: "iCloud.test")
    _ = try await world.ada.put("other", "Other")
    try await world.deliverChanges()
    #expect(try await world.fired() == [])
    _ = try await world.ada.put("first", "Note", #""title":{"value":"new"}"#)
    #expect(try await world.fired() == ["all", "some"])
  }

  @Test func `A filter that was read without its field matches once the field exists`()
    async throws
  {
    let world = try await World()
    let created = try await world.ada.subscribe(subscription("some", filter: "new"))
    try #require(created.subscriptions == ["some"], "\(created)")
    _ = try await world.push.cloud.server.removeField(
      "title", of: "Note", fromDevelopmentOf: "iCloud.test")
    _ = try await world.ada.put("untitled", "Note")
    try await world.deliverChanges()
    #expect(try await world.fired() == [])
    _ = try await world.ada.put("first", "Note", #""title":{"value":"new"}"#)
    _ = try await world.ada.put("second", "Note", #""title":{"value":"else"}"#)
    #expect(try await world.fired() == ["some"])
  }

  @Test func `Subscriptions are read once while the schema stays the same`() async throws {
    let engine = EntryCountingEngine()
    let world = try await World(PushCloud(engine: engine))
    let list = (0..<100).map {
      #"{"operationType":"create","subscription":{"subscriptionID":"s\#($0)","#
        + #""subscriptionType":"database"}}"#
    }
    let created = try await world.ada.ask(
      .private, .subscriptionsModify, #"{"operations":[\#(list.joined(separator: ","))]}"#)
    try #require(created.subscriptions.count == 100, "\(created)")
    func entriesRead(_ name: String, _ type: String) async throws -> Int {
      engine.reset()
      _ = try await world.ada.put(name, type)
      try await world.deliverChanges()
      return engine.entries
    }
    #expect(try await entriesRead("a", "Note") >= 100)
    #expect(try await entriesRead("b", "Note") < 100)
    #expect(try await entriesRead("c", "Other") >= 100)
    #expect(try await entriesRead("d", "Other") < 100)
  }
}
