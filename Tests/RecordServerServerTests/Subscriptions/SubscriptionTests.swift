import CloudRecords
import CloudWire
import RecordServer
import RecordStorage
import Testing

@Suite struct SubscriptionTests {
  /// A subscription to notes, with optional further members.
  static func notes(_ identifier: String, _ members: String = #""firesOn":["create"]"#) -> String {
    #""subscriptionID":"\#(identifier)","subscriptionType":"query","query":{"recordType":"Note"},\#(members)"#
  }

  /// A user of a container that has the record type `Note`.
  private func writer(_ name: String = "_ada", in cloud: Cloud = Cloud()) async throws -> Client {
    let user = try await cloud.user(name)
    for scope in [DatabaseScope.private, .public] {
      _ = try await user.modify(
        in: scope,
        (
          "create",
          #""recordName":"first \#(name)","recordType":"Note","fields":{"title":{"value":"a"}}"#
        ))
    }
    return user
  }

  @Test func `Every kind of subscription is returned as it was created`() async throws {
    let ada = try await writer()
    try await ada.makeZone("Notes")
    let titles =
      #""title":"T","titleLocalizationKey":"TK","titleLocalizationArgs":["title"],"subtitle":"S","subtitleLocalizationKey":"SK","subtitleLocalizationArgs":["a","b"]"#
    let info =
      #""notificationInfo":{"alertBody":"New",\#(titles),"additionalFields":["title"],"shouldBadge":true,"shouldSendMutableContent":true,"collapseIDKey":"c"}"#
    let filter = #"{"comparator":"EQUALS","fieldName":"title","fieldValue":{"value":"a"}}"#
    let created = try await ada.subscribe(
      #""subscriptionID":"query","subscriptionType":"query","query":{"recordType":"Note","filterBy":[\#(filter)]},"firesOn":["update","create"],"firesOnce":true,"zoneID":{"zoneName":"Notes"},\#(info)"#,
      #""subscriptionID":"zone","subscriptionType":"ZONE","zoneID":{"zoneName":"Notes"}"#,
      #""subscriptionID":"whole","subscriptionType":"database""#)
    #expect(created.subscriptions == ["query", "zone", "whole"], "\(created)")
    let listed = try await ada.ask(.private, .subscriptionsList)
    #expect(listed.subscriptions == ["query", "whole", "zone"])
    let query = listed["subscriptions"][0]
    #expect(query["firesOn"].list.map(\.text) == ["create", "update"])
    #expect(query["firesOnce"].flag == true)
    #expect(query["zoneID"]["zoneName"].text == "Notes")
    #expect(query["query"]["filterBy"][0]["fieldName"].text == "title")
    #expect(query["notificationInfo"]["additionalFields"][0].text == "title")
    #expect(query["notificationInfo"]["shouldBadge"].flag == true)
    #expect(query["notificationInfo"]["shouldSendMutableContent"].flag == true)
    for (key, text) in [
      "title": "T", "titleLocalizationKey": "TK", "subtitle": "S", "subtitleLocalizationKey": "SK",
      "collapseIDKey": "c",
    ] {
      #expect(query["notificationInfo"][key].text == text)
    }
    #expect(query["notificationInfo"]["titleLocalizationArgs"].list.map(\.text) == ["title"])
    #expect(query["notificationInfo"]["subtitleLocalizationArgs"].list.map(\.text) == ["a", "b"])
    #expect(listed["subscriptions"][1]["subscriptionType"].text == "database")
    #expect(listed["subscriptions"][2]["zoneID"]["ownerRecordName"].text == "_ada")
    let found = try await ada.ask(
      .private, .subscriptionsLookup,
      #"{"subscriptions":[{"subscriptionID":"zone"},{"subscriptionID":"none"}]}"#)
    #expect(found.subscriptions == ["zone", "none: NOT_FOUND"])
  }

  @Test func `A subscription replaces one with the same identifier`() async throws {
    let ada = try await writer()
    let again = try await ada.subscribe(
      Self.notes("one"), Self.notes("one", #""firesOn":["delete"]"#))
    #expect(again.subscriptions == ["one", "one"])
    let listed = try await ada.ask(.private, .subscriptionsList)
    #expect(listed.subscriptions == ["one"])
    #expect(listed["subscriptions"][0]["firesOn"].list.map(\.text) == ["delete"])
  }

  @Test func `A second subscription to the same changes is rejected`() async throws {
    let ada = try await writer()
    let filter = #"{"comparator":"EQUALS","fieldName":"title","fieldValue":{"value":"a"}}"#
    let filtered =
      #""subscriptionID":"other filters","subscriptionType":"query","firesOn":["create"],"query":{"recordType":"Note","filterBy":[\#(filter)]}"#
    let created = try await ada.subscribe(
      Self.notes("one"), Self.notes("two"), filtered,
      Self.notes("other events", #""firesOn":["create","update"]"#),
      Self.notes("once", #""firesOn":["create"],"firesOnce":true"#),
      Self.notes("alerting", #""firesOn":["create"],"notificationInfo":{"alertBody":"New"}"#),
      filtered.replacing("other filters", with: "same filters"))
    #expect(
      created.subscriptions == [
        "one", "two: INTERNAL_ERROR", "other filters", "other events", "once",
        "alerting: INTERNAL_ERROR",
        "same filters: INTERNAL_ERROR",
      ])
    #expect(
      created["subscriptions"][1]["reason"].text?.hasPrefix(
        "could not find subscription we just created") == true)
    // An update that would duplicate another subscription is rejected, too. The content of a
    // deleted one is free again.
    let changed = try await ada.ask(
      .private, .subscriptionsModify,
      #"{"operations":[{"operationType":"update","subscription":{\#(Self.notes("once"))}}]}"#)
    #expect(changed.subscriptions == ["once: INTERNAL_ERROR"])
    let freed = try await ada.ask(
      .private, .subscriptionsModify,
      #"{"operations":[{"operationType":"delete","subscription":{"subscriptionID":"one"}},{"operationType":"create","subscription":{\#(Self.notes("two"))}}]}"#
    )
    #expect(
      freed["subscriptions"][1]["subscriptionID"].text == "two" && freed.subscriptions.last == "two"
    )
    #expect(
      try await ada.subscribe(in: .public, Self.notes("elsewhere")).subscriptions == ["elsewhere"])
  }

  @Test func `Only existing subscriptions can be updated and deleted`() async throws {
    let ada = try await writer()
    #expect(try await ada.change("update", Self.notes("one")).subscriptions == ["one: NOT_FOUND"])
    #expect(
      try await ada.change("delete", #""subscriptionID":"one""#).subscriptions == ["one: NOT_FOUND"]
    )
    _ = try await ada.subscribe(Self.notes("one"))
    let changed = try await ada.change("update", Self.notes("one", #""firesOn":["update"]"#))
    #expect(changed["subscriptions"][0]["firesOn"][0].text == "update")
    #expect(
      try await ada.change("delete", #""subscriptionID":"one""#).subscriptions == ["one: deleted"])
    #expect(try await ada.ask(.private, .subscriptionsList).subscriptions.isEmpty)
  }

  @Test func `A subscription without an identifier gets one`() async throws {
    let created = try await writer().subscribe(#""subscriptionType":"database""#)
    #expect(created["subscriptions"][0]["subscriptionID"].text?.count == 36, "\(created)")
  }

  @Test(arguments: [
    (DatabaseScope.private, #""subscriptionID":"s""#, "BAD_REQUEST"),
    (.private, #""subscriptionID":"s","subscriptionType":"table""#, "BAD_REQUEST"),
    (.private, #""subscriptionID":"","subscriptionType":"database""#, "BAD_REQUEST"),
    (.private, #""subscriptionID":"s","subscriptionType":"zone""#, "BAD_REQUEST"),
    (
      .private, #""subscriptionID":"s","subscriptionType":"zone","zoneID":{"zoneName":"Gone"}"#,
      "ZONE_NOT_FOUND"
    ),
    (
      .private,
      #""subscriptionID":"s","subscriptionType":"zone","zoneID":{"zoneName":"Z","ownerRecordName":"_bob"}"#,
      "ZONE_NOT_FOUND"
    ),
    (
      .private, #""subscriptionID":"s","subscriptionType":"query","firesOn":["create"]"#,
      "BAD_REQUEST"
    ),
    (.private, notes("s", #""firesOn":[]"#), "BAD_REQUEST"),
    (
      .private,
      #""subscriptionID":"s","subscriptionType":"query","query":{"recordType":"No"},"firesOn":["create"]"#,
      "NOT_FOUND"
    ),
    (
      .private,
      #""subscriptionID":"s","subscriptionType":"query","query":{"recordType":"Note","filterBy":[{"comparator":"LIKE","fieldName":"title","fieldValue":{"value":"a"}}]},"firesOn":["create"]"#,
      "BAD_REQUEST"
    ),
    (.public, #""subscriptionID":"s","subscriptionType":"database""#, "BAD_REQUEST"),
    (
      .public,
      #""subscriptionID":"s","subscriptionType":"zone","zoneID":{"zoneName":"_defaultZone"}"#,
      "BAD_REQUEST"
    ),
    (.shared, notes("s", #""firesOn":["create"],"zoneWide":false"#), "BAD_REQUEST"),
  ])
  func `An invalid subscription is rejected`(scope: DatabaseScope, members: String, code: String)
    async throws
  {
    let ada = try await writer()
    let reply = try await ada.subscribe(in: scope, members)
    #expect(reply["subscriptions"][0]["serverErrorCode"].text == code, "\(reply)")
    #expect(try await ada.ask(scope, .subscriptionsList).subscriptions.isEmpty)
  }

  @Test func `The shared database accepts query and database subscriptions`() async throws {
    let ada = try await writer()
    let reply = try await ada.subscribe(
      in: .shared, Self.notes("q"), #""subscriptionID":"d","subscriptionType":"database""#)
    #expect(reply.subscriptions == ["q", "d"], "\(reply)")
  }

  @Test func `Users and databases have separate subscriptions`() async throws {
    let cloud = Cloud()
    let (ada, bob) = (try await writer(in: cloud), try await writer("_bob", in: cloud))
    _ = try await ada.subscribe(in: .public, Self.notes("hers"))
    _ = try await bob.subscribe(in: .public, Self.notes("his"))
    _ = try await ada.subscribe(Self.notes("own"))
    #expect(try await ada.ask(.public, .subscriptionsList).subscriptions == ["hers"])
    #expect(try await bob.ask(.public, .subscriptionsList).subscriptions == ["his"])
    #expect(try await bob.ask(.private, .subscriptionsList).subscriptions.isEmpty)
    #expect(try await ada.ask(.private, .subscriptionsList).subscriptions == ["own"])
    #expect(try await ada.ask(.shared, .subscriptionsList).subscriptions.isEmpty)
  }

  @Test func `Listing subscriptions requires a signed-in user`() async throws {
    let cloud = Cloud()
    for scope in DatabaseScope.allCases {
      let reply = try await cloud.client(.anonymous).ask(scope, .subscriptionsList)
      #expect(reply["serverErrorCode"].text == "AUTHENTICATION_REQUIRED", "\(scope)")
    }
    let reply = try await cloud.client(.server("_key")).ask(.private, .subscriptionsList)
    #expect(reply["serverErrorCode"].text == "ACCESS_DENIED")
  }

  @Test func `The number and the size of subscriptions are limited`() async throws {
    var limits = ServiceLimits()
    limits.operationsPerRequest = 2
    limits.subscriptionsPerDatabase = 2
    limits.subscriptionBytes = 100
    let ada = try await writer(in: Cloud(limits: limits))
    let update = #""firesOn":["update"]"#
    let many = try await ada.subscribe(Self.notes("a"), Self.notes("b", update), Self.notes("c"))
    #expect(many["serverErrorCode"].text == "BAD_REQUEST", "\(many)")
    let two = try await ada.subscribe(Self.notes("a"), Self.notes("b", update))
    #expect(two.subscriptions == ["a", "b"])
    #expect(
      try await ada.subscribe(Self.notes("c", #""firesOn":["delete"]"#)).subscriptions == [
        "c: QUOTA_EXCEEDED"
      ])
    #expect(try await ada.subscribe(Self.notes("a")).subscriptions == ["a"])
    let long = String(repeating: "x", count: 100)
    let large = try await ada.subscribe(
      Self.notes("a", #""firesOn":["create"],"notificationInfo":{"alertBody":"\#(long)"}"#))
    #expect(large.subscriptions == ["a: BAD_REQUEST"])
  }

  @Test func `All subscriptions are read once per request`() async throws {
    let engine = ByteCountingEngine()
    let ada = try await Cloud(engine: engine).user("_ada")
    let text = String(repeating: "x", count: 1_000)
    let list = (0..<20).map {
      #"{"operationType":"create","subscription":{"subscriptionID":"s\#($0)","#
        + #""subscriptionType":"database","notificationInfo":{"alertBody":"\#(text)"}}}"#
    }
    for _ in 0..<2 {
      engine.reset()
      let reply = try await ada.ask(
        .private, .subscriptionsModify, #"{"operations":[\#(list.joined(separator: ","))]}"#)
      #expect(reply.subscriptions == (0..<20).map { "s\($0)" }, "\(reply)")
    }
    // Each was read for its own operation, and in the list of all.
    #expect((40_000..<60_000).contains(engine.bytes), "\(engine.bytes)")
  }

  @Test func `A request counts the subscriptions that it creates and deletes`() async throws {
    var limits = ServiceLimits()
    limits.subscriptionsPerDatabase = 2
    let ada = try await writer(in: Cloud(limits: limits))
    let update = #""firesOn":["update"]"#
    let operations = [
      ("create", Self.notes("a")), ("create", Self.notes("b")), ("create", Self.notes("c", update)),
      ("create", Self.notes("d", #""firesOn":["delete"]"#)),
      ("delete", #""subscriptionID":"a""#), ("create", Self.notes("b")),
    ]
    let list = operations.map { #"{"operationType":"\#($0.0)","subscription":{\#($0.1)}}"# }
    let reply = try await ada.ask(
      .private, .subscriptionsModify, #"{"operations":[\#(list.joined(separator: ","))]}"#)
    #expect(
      reply.subscriptions == [
        "a", "b: INTERNAL_ERROR", "c", "d: QUOTA_EXCEEDED", "a: deleted", "b",
      ], "\(reply)")
    #expect(try await ada.ask(.private, .subscriptionsList).subscriptions == ["b", "c"])
  }

  @Test func `Subscriptions survive a restart of the server`() async throws {
    let engine = MemoryStorageEngine()
    _ = try await writer(in: Cloud(engine: engine)).subscribe(Self.notes("kept"))
    let later = try await Cloud(engine: engine).user("_ada")
    #expect(try await later.ask(.private, .subscriptionsList).subscriptions == ["kept"])
  }
}

extension Client {
  /// Creates subscriptions; each is given by its members.
  func subscribe(in scope: DatabaseScope = .private, _ subscriptions: String...) async throws
    -> Reply
  {
    let list = subscriptions.map { #"{"operationType":"create","subscription":{\#($0)}}"# }.joined(
      separator: ",")
    return try await ask(scope, .subscriptionsModify, #"{"operations":[\#(list)]}"#)
  }

  /// Sends one operation.
  func change(_ kind: String, in scope: DatabaseScope = .private, _ subscription: String)
    async throws -> Reply
  {
    try await ask(
      scope, .subscriptionsModify,
      #"{"operations":[{"operationType":"\#(kind)","subscription":{\#(subscription)}}]}"#)
  }
}

extension Reply {
  /// Each subscription in short: its identifier or its error.
  var subscriptions: [String] {
    self["subscriptions"].list.map { item in
      let name = item["subscriptionID"].text ?? "?"
      if let code = item["serverErrorCode"].text { return "\(name): \(code)" }
      return item["deleted"].flag == true ? "\(name): deleted" : name
    }
  }
}
