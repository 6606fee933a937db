import CloudRecords
import CloudWire
import JSONCoding
import RecordServer
import RecordStorage
import TestSupport
import Testing

@Suite(.endsAtAll) struct `Push notifications` {
  private let push = PushCloud()

  // MARK: Which subscriptions fire

  struct Case: Sendable {
    var subscription: String
    var scope = DatabaseScope.private
    /// The operation on an existing or a new note.
    var change: (String, String)
    var zone: String? = "Z"
    var fires: Bool
  }

  private static func query(_ events: String, _ more: String = "", filter: String? = nil) -> String
  {
    let filters =
      filter.map {
        #","filterBy":[{"comparator":"EQUALS","fieldName":"title","fieldValue":{"value":"\#($0)"}}]"#
      } ?? ""
    return
      #""subscriptionID":"s","subscriptionType":"query","query":{"recordType":"Note"\#(filters)},"firesOn":[\#(events)]\#(more)"#
  }

  private static func note(_ name: String, _ title: String) -> String {
    #""recordName":"\#(name)","recordType":"Note","fields":{"title":{"value":"\#(title)"}}"#
  }

  private static let zoneZ = #","zoneID":{"zoneName":"Z"}"#
  private static let database = #""subscriptionID":"s","subscriptionType":"database""#
  private static let zone =
    #""subscriptionID":"s","subscriptionType":"zone","zoneID":{"zoneName":"Z"}"#

  static let cases: [Case] = [
    Case(subscription: query(#""create""#), change: ("create", note("new", "x")), fires: true),
    Case(subscription: query(#""update""#), change: ("create", note("new", "x")), fires: false),
    Case(subscription: query(#""update""#), change: ("forceUpdate", note("old", "x")), fires: true),
    Case(
      subscription: query(#""create","delete""#), change: ("forceUpdate", note("old", "x")),
      fires: false),
    Case(
      subscription: query(#""delete""#), change: ("forceDelete", #""recordName":"old""#),
      fires: true),
    Case(
      subscription: query(#""create""#, filter: "x"), change: ("create", note("new", "x")),
      fires: true),
    Case(
      subscription: query(#""create""#, filter: "y"), change: ("create", note("new", "x")),
      fires: false),
    Case(
      subscription: query(#""delete""#, filter: "old"),
      change: ("forceDelete", #""recordName":"old""#), fires: true),
    Case(
      subscription: query(#""create""#, zoneZ), change: ("create", note("new", "x")), fires: true),
    Case(
      subscription: query(#""create""#, zoneZ), change: ("create", note("new", "x")), zone: "Y",
      fires: false),
    Case(
      subscription: query(#""create""#),
      change: ("create", #""recordName":"new","recordType":"Other","fields":{}"#),
      fires: false),
    Case(
      subscription: query(#""create""#, #","zoneWide":false"#),
      change: ("create", note("new", "x")),
      zone: nil,
      fires: true),
    Case(
      subscription: query(#""create""#, #","zoneWide":false"#),
      change: ("create", note("new", "x")),
      fires: false),
    Case(subscription: zone, change: ("create", note("new", "x")), fires: true),
    Case(subscription: zone, change: ("create", note("new", "x")), zone: "Y", fires: false),
    Case(subscription: database, change: ("create", note("new", "x")), zone: "Y", fires: true),
    Case(
      subscription: query(#""create""#), scope: .public, change: ("create", note("new", "x")),
      zone: nil, fires: true),
    Case(
      subscription: query(#""create""#, filter: "y"), scope: .public,
      change: ("create", note("new", "x")), zone: nil,
      fires: false),
  ]

  @Test(arguments: cases.indices) func `A subscription fires for what it describes`(index: Int)
    async throws
  {
    let test = Self.cases[index]
    let ada = try await notes(in: test.scope, test.zone)
    let token = try await ada.device("phone")
    let created = try await ada.subscribe(in: test.scope, test.subscription)
    try #require(created.subscriptions == ["s"], "\(created)")
    let reply = try await ada.modify(in: test.scope, zone: test.zone, test.change)
    try #require(!reply["records"][0]["serverErrorCode"].isThere, "\(reply)")
    #expect(try await push.notifications(for: token).count == (test.fires ? 1 : 0), "\(test)")
  }

  /// A user with two zones, and an existing note in the one of interest.
  private func notes(in scope: DatabaseScope = .private, _ zone: String? = "Z") async throws
    -> Client
  {
    let ada = try await push.cloud.user("_ada")
    for name in ["Z", "Y"] { try await ada.makeZone(name) }
    _ = try await ada.modify(in: scope, zone: zone, ("create", Self.note("old", "old")))
    _ = try await push.notifications(for: "")
    return ada
  }

  // MARK: Devices

  @Test func `The device that wrote gets no notification, and the user's others do`() async throws {
    var ada = try await notes()
    let (phone, tablet) = (try await ada.device("phone"), try await ada.device("tablet"))
    _ = try await ada.subscribe(Self.database)
    ada.deviceToken = phone
    _ = try await ada.modify(zone: "Z", ("create", Self.note("new", "x")))
    #expect(try await push.notifications(for: phone).isEmpty)
    #expect(try await push.notifications(for: tablet).count == 1)
  }

  @Test func `A client keeps its token, and two clients have two`() async throws {
    let ada = try await notes()
    let phone = try await ada.device("phone")
    #expect(try await ada.device("phone") == phone)
    #expect(try await ada.device("tablet") != phone)
    #expect(Base64Text.bytes(phone)?.count == 32)
    let later = try await push.cloud.client(.anonymous)
    await #expect(throws: CloudError.self) { try await later.device("phone") }
  }

  @Test func `A device can bring its own token`() async throws {
    let ada = try await notes()
    _ = try await ada.subscribe(Self.database)
    let server = push.cloud.server
    _ = try await server.registerPushToken(TokensRegisterRequest(token: "AAEC"), ada.call(.private))
    _ = try await ada.modify(zone: "Z", ("create", Self.note("new", "x")))
    #expect(try await push.notifications(for: "AAEC").count == 1)
    for wrong in [nil, "", "no base64!", String(repeating: "A", count: 516)] {
      await #expect(throws: CloudError.self) {
        try await server.registerPushToken(TokensRegisterRequest(token: wrong), ada.call(.private))
      }
    }
  }

  @Test func `Subscriptions and devices survive a restart of the server`() async throws {
    let engine = MemoryStorageEngine()
    let before = try await PushCloud(engine: engine).cloud.user("_ada")
    try await before.makeZone("Z")
    let token = try await before.device("phone")
    _ = try await before.subscribe(Self.database)
    let later = PushCloud(engine: engine)
    _ = try await later.cloud.user("_ada").modify(zone: "Z", ("create", Self.note("new", "x")))
    #expect(try await later.notifications(for: token).count == 1)
  }

  @Test func `A subscription that fires once is then deleted`() async throws {
    let ada = try await notes()
    let token = try await ada.device("phone")
    _ = try await ada.subscribe(Self.query(#""create""#, #","firesOnce":true"#))
    _ = try await ada.modify(
      zone: "Z", ("create", Self.note("a", "x")), ("create", Self.note("b", "x")))
    _ = try await ada.modify(zone: "Z", ("create", Self.note("c", "x")))
    #expect(try await push.notifications(for: token).count == 1)
    #expect(try await ada.ask(.private, .subscriptionsList).subscriptions.isEmpty)
  }

  @Test func `A deleted subscription does not fire`() async throws {
    let ada = try await notes()
    let token = try await ada.device("phone")
    _ = try await ada.subscribe(Self.database)
    _ = try await ada.modify(zone: "Z", ("create", Self.note("a", "x")))
    #expect(try await push.notifications(for: token).count == 1)
    _ = try await ada.change("delete", #""subscriptionID":"s""#)
    _ = try await ada.modify(zone: "Z", ("create", Self.note("b", "x")))
    #expect(try await push.notifications(for: token).map(\.isLast) == [true])
  }

  @Test func `The user's other devices are notified when a subscription ends`() async throws {
    var ada = try await notes()
    let (phone, tablet) = (try await ada.device("phone"), try await ada.device("tablet"))
    let bobs = try await push.cloud.user("_bob").device("phone")
    _ = try await ada.subscribe(Self.database)
    ada.deviceToken = phone
    _ = try await ada.modify(zone: "Z", ("create", Self.note("a", "x")))
    // An equal subscription ends nothing; one of another kind ends the former one.
    _ = try await ada.subscribe(Self.database)
    _ = try await ada.subscribe(
      #""subscriptionID":"s","subscriptionType":"zone","zoneID":{"zoneName":"Z"}"#)
    let received = try await push.notifications(for: tablet)
    #expect(received.map(\.isLast) == [false, true] && received.last?.content == .database(nil))
    _ = try await ada.change("delete", #""subscriptionID":"s""#)
    let zone = RecordZoneIdentifier(zoneName: "Z", ownerName: "_ada")
    let last = try await push.notifications(for: tablet)
    #expect(last.map(\.isLast) == [true] && last.first?.content == .zone(zone))
    #expect(last.first?.subscriptionIdentifier == "s" && last.first?.userRecordName == "_ada")
    #expect(try await push.notifications(for: phone).isEmpty)
    #expect(try await push.notifications(for: bobs).isEmpty)
  }

  /// A cascade keeps as many deleted records for subscribers as a response can hold.
  @Test func `A filter matches deleted records that a cascade did not keep`() async throws {
    var limits = ServiceLimits()
    limits.answerBytes = 6_000
    let push = PushCloud(limits: limits)
    let ada = try await push.cloud.user("_ada")
    try await ada.makeZone("Z")
    _ = try await ada.modify(zone: "Z", ("create", Self.note("target", "x")))
    for (name, title, size) in [("small x", "x", 1), ("small y", "y", 1), ("large x", "x", 10_000)]
    {
      let text = String(repeating: "t", count: size)
      let saved = try await ada.modify(
        zone: "Z",
        (
          "create",
          #""recordName":"\#(name)","recordType":"Note","fields":{"title":{"value":"\#(title)"},"text":{"value":"\#(text)"},"to":{"value":{"recordName":"target","action":"DELETE_SELF"}}}"#
        ))
      #expect(saved["records"][0]["recordName"].text == name, "\(saved)")
    }
    let token = try await ada.device("phone")
    _ = try await ada.subscribe(Self.query(#""delete""#, filter: "y"))
    _ = try await ada.modify(zone: "Z", ("forceDelete", #""recordName":"target""#))
    let names = try await push.notifications(for: token).compactMap { received -> String? in
      if case .query(let record, event: .delete, _) = received.content {
        record.recordName
      } else {
        nil
      }
    }
    #expect(names.sorted() == ["large x", "small y"])
  }

  @Test func `A created or deleted zone is a change of its database`() async throws {
    let ada = try await notes()
    let token = try await ada.device("phone")
    _ = try await ada.subscribe(Self.database)
    try await ada.makeZone("New")
    #expect(try await push.notifications(for: token).count == 1)
    try await ada.makeZone("New")
    #expect(try await push.notifications(for: token).isEmpty, "the zone existed already")
    let gone = #"{"operations":[{"operationType":"delete","zone":{"zoneID":{"zoneName":"New"}}}]}"#
    _ = try await ada.ask(.private, .zonesModify, gone)
    #expect(try await push.notifications(for: token).count == 1)
  }

  // MARK: Shares

  @Test func `Participants are notified of visible changes`() async throws {
    let ada = try await notes()
    let bob = try await push.cloud.user("_bob")
    let root = #""recordName":"root","recordType":"Note","fields":{"title":{"value":"r"}}"#
    let invited =
      #"[{"userIdentity":{"userRecordName":"_bob"},"type":"USER","permission":"READ_ONLY","acceptanceStatus":"PENDING"}]"#
    let share =
      #""recordName":"share","recordType":"cloudkit.share","fields":{},"forRecord":{"recordName":"root"},"participants":\#(invited)"#
    _ = try await ada.modify(zone: "Z", ("create", root))
    let created = try await ada.modify(
      zone: "Z", ("forceUpdate", #""recordName":"root""#), ("create", share))
    let short = try #require(created["records"][1]["shortGUID"].text, "\(created)")
    let token = try await bob.device("phone")
    _ = try await bob.subscribe(in: .shared, Self.database)
    _ = try await ada.modify(zone: "Z", ("forceUpdate", Self.note("root", "1")))
    #expect(try await push.notifications(for: token).isEmpty, "invited, but has not accepted")
    _ = try await bob.ask(.public, .recordsAccept, #"{"shortGUIDs":[{"value":"\#(short)"}]}"#)
    _ = try await push.notifications(for: token)
    _ = try await ada.modify(zone: "Z", ("forceUpdate", Self.note("old", "2")))
    #expect(try await push.notifications(for: token).isEmpty, "not shared")
    _ = try await ada.modify(
      zone: "Z", ("create", Self.note("leaf", "3") + #","parent":{"recordName":"root"}"#))
    let received = try await push.notifications(for: token)
    #expect(received.map(\.scope) == [.shared])
    let zone = RecordZoneIdentifier(zoneName: "Z", ownerName: "_ada")
    #expect(received.map(\.content) == [.database(zone)])
    _ = try await ada.modify(zone: "Z", ("forceDelete", #""recordName":"share""#))
    #expect(try await push.notifications(for: token).count == 1, "the share ended")
    _ = try await ada.modify(zone: "Z", ("forceUpdate", Self.note("root", "4")))
    #expect(try await push.notifications(for: token).isEmpty, "not shared any more")
  }

  // MARK: Payloads

  @Test func `A record's notification has the requested content`() async throws {
    let ada = try await notes()
    let token = try await ada.device("phone")
    let info =
      #""notificationInfo":{"alertLocalizationKey":"NEW","alertLocalizationArgs":["title"],"soundName":"ping","shouldBadge":true,"additionalFields":["title","none"]}"#
    _ = try await ada.subscribe(Self.query(#""create""#, ",\(info)"))
    _ = try await ada.modify(zone: "Z", ("create", Self.note("new", "x")))
    var received = try #require(try await push.notifications(for: token).first)
    received.identifier = "N"
    #expect(
      Self.text(received)
        == #"{"aps":{"alert":{"loc-key":"NEW","loc-args":["x"]},"badge":1,"sound":"ping"},"ck":{"cid":"iCloud.test","nid":"N","ce":2,"ckuserid":"_ada","qry":{"zid":"Z","zoid":"_ada","sid":"s","dbs":1,"rid":"new","fo":1,"af":{"title":"x"}}}}"#
    )
  }

  @Test(arguments: [
    #""type":"ENCRYPTED_BYTES""#, #""type":"BYTES","isEncrypted":true"#,
    #""type":"STRING","isEncrypted":true"#,
  ])
  func `Additional fields and alert arguments omit encrypted values`(mark: String) async throws {
    let ada = try await notes()
    let token = try await ada.device("phone")
    let info =
      #""notificationInfo":{"alertLocalizationKey":"NEW","alertLocalizationArgs":["secret"],"additionalFields":["title","secret"]}"#
    _ = try await ada.subscribe(Self.query(#""create""#, ",\(info)"))
    let fields = #""title":{"value":"x"},"secret":{"value":"c2VjcmV0",\#(mark)}"#
    let reply = try await ada.modify(
      zone: "Z", ("create", #""recordName":"new","recordType":"Note","fields":{\#(fields)}"#))
    let secret = reply["records"][0]["fields"]["secret"]
    #expect(
      secret["isEncrypted"].flag == true || secret["type"].text == "ENCRYPTED_BYTES", "\(reply)")
    let received = try #require(try await push.notifications(for: token).first)
    #expect(Self.text(received).contains(#""af":{"title":"x"}"#), "\(Self.text(received))")
    #expect(Self.text(received).contains(#""loc-args":[""]"#), "\(Self.text(received))")
  }

  @Test func `A record's notification has titles with field values`() async throws {
    let ada = try await notes()
    let token = try await ada.device("phone")
    let info =
      #""notificationInfo":{"title":"T","titleLocalizationArgs":["title"],"subtitleLocalizationKey":"S","subtitleLocalizationArgs":["none","title"],"titleLocalizationKey":"K","shouldSendMutableContent":true}"#
    _ = try await ada.subscribe(Self.query(#""create""#, ",\(info)"))
    _ = try await ada.modify(zone: "Z", ("create", Self.note("new", "x")))
    let received = try #require(try await push.notifications(for: token).first)
    let shown =
      #"{"alert":{"title":"T","title-loc-key":"K","title-loc-args":["x"],"subtitle-loc-key":"S","subtitle-loc-args":["","x"]},"mutable-content":1}"#
    #expect(Self.text(received).hasPrefix(#"{"aps":\#(shown),"#), "\(Self.text(received))")
  }

  @Test func `A notification that would be too large is shortened`() async throws {
    let ada = try await notes()
    let token = try await ada.device("phone")
    let info = #""notificationInfo":{"alertBody":"New","additionalFields":["title"]}"#
    _ = try await ada.subscribe(Self.query(#""create""#, ",\(info)"))
    for (name, length, isPruned) in [("small", 3_000, false), ("large", 5_000, true)] {
      _ = try await ada.modify(
        zone: "Z", ("create", Self.note(name, String(repeating: "x", count: length))))
      let received = try #require(try await push.notifications(for: token).first)
      #expect(received.isPruned == isPruned && received.info?.body.plain == "New")
      #expect(Self.text(received).utf8.count <= 4_096)
      #expect(Self.text(received).contains("xxx") == !isPruned)
    }
  }

  @Test func `Zones and databases have notifications`() async throws {
    let ada = try await notes()
    let token = try await ada.device("phone")
    _ = try await ada.subscribe(Self.zone, #""subscriptionID":"d","subscriptionType":"database""#)
    _ = try await ada.modify(zone: "Z", ("create", Self.note("new", "x")))
    let place = #""zid":"Z","zoid":"_ada""#
    let received = try await push.notifications(for: token).map { Self.text($0, identifier: "N") }
    #expect(
      received
        == [("met", "d"), ("fet", "s")].map { kind, subscription in
          #"{"aps":{"content-available":1},"ck":{"cid":"iCloud.test","nid":"N","ce":2,"ckuserid":"_ada","\#(kind)":{\#(place),"sid":"\#(subscription)","dbs":1}}}"#
        })
  }

  private static func text(_ notification: PushNotification, identifier: String = "N") -> String {
    var notification = notification
    notification.identifier = identifier
    var writer = JSONWriter(capacity: 256)
    notification.write(to: &writer)
    return String(decoding: writer.array(), as: UTF8.self)
  }

  // MARK: Queues

  @Test func `A later hint replaces an earlier one`() async throws {
    let ada = try await notes()
    let token = try await ada.device("phone")
    _ = try await ada.subscribe(Self.database)
    for name in ["a", "b", "c"] {
      _ = try await ada.modify(zone: "Z", ("create", Self.note(name, "x")))
    }
    _ = try await ada.modify(zone: "Y", ("create", Self.note("d", "x")))
    let received = try await push.notifications(for: token)
    #expect(received.count == 2)
    #expect(received.map(\.isPruned) == [false, false])
  }

  @Test func `The last of several notifications with one collapse key is kept`() async throws {
    let ada = try await notes()
    let token = try await ada.device("phone")
    _ = try await ada.subscribe(
      Self.query(#""create""#, #","notificationInfo":{"title":"T","collapseIDKey":"title"}"#))
    let notes = [("a", "x"), ("b", "y"), ("c", "x"), ("d", ""), ("e", "")]
    for (name, title) in notes {
      _ = try await ada.modify(zone: "Z", ("create", Self.note(name, title)))
    }
    let received = try await push.notifications(for: token)
    #expect(received.map(\.collapse) == ["y", "x", nil, nil])
    // The notification of "c" replaced that of "a". Those without a key arrive one by one.
    #expect(received.map(\.isPruned) == [false, true, false, false])
  }

  @Test func `Notifications that exceed the mailbox become one pruned notification`() async throws {
    let ada = try await notes()
    let token = try await ada.device("phone")
    _ = try await ada.subscribe(Self.query(#""create""#))
    for number in 0..<PushCloud.capacity {
      _ = try await ada.modify(zone: "Z", ("create", Self.note("a\(number)", "x")))
    }
    try await push.deliverChanges()
    #expect(push.hub.queueLength(of: token) == PushCloud.capacity)
    for number in 0..<2 {
      _ = try await ada.modify(zone: "Z", ("create", Self.note("b\(number)", "x")))
    }
    let received = try await push.notifications(for: token)
    #expect(received.count == 1)
    #expect(received.first?.isPruned == true)
    #expect(received.first.map { Self.text($0).contains(#""p":1"#) } == true)
  }

  // MARK: Waiting

  @Test func `A waiting device is notified, and one that stopped waiting is not`() async throws {
    let ada = try await notes()
    let token = try await ada.device("phone")
    _ = try await ada.subscribe(Self.database)
    let hub = push.hub
    let given = Task { await hub.next(for: token) }
    try await push.waitForWaiters(1)
    given.cancel()
    #expect(await given.value == nil)
    #expect(hub.waiterCount == 0)
    let first = Task { await hub.next(for: token) }
    try await push.waitForWaiters(1)
    _ = try await ada.modify(zone: "Z", ("create", Self.note("a", "x")))
    #expect(await first.value != nil)
    for await next in hub.notifications(for: try await subscribedDevice(of: ada)) {
      #expect(next.subscriptionIdentifier == "s")
      break
    }
  }

  /// The token of a device with a pending notification.
  private func subscribedDevice(of client: Client) async throws -> String {
    let token = try await client.device("phone")
    _ = try await client.modify(zone: "Z", ("create", Self.note("b", "x")))
    return token
  }

  @Test func `A new wait ends the former one`() async throws {
    let hub = push.hub
    let first = Task { await hub.next(for: "t") }
    try await push.waitForWaiters(1)
    let second = Task { await hub.next(for: "t") }
    #expect(await first.value == nil)
    second.cancel()
    #expect(await second.value == nil)
  }

  @Test func `Changes without subscribers are not read`() async throws {
    let engine = CountingEngine()
    let push = PushCloud(engine: engine)
    let ada = try await push.cloud.user("_ada")
    try await ada.makeZone("Z")
    _ = try await ada.modify(zone: "Z", ("create", Self.note("a", "x")))
    try await push.deliverChanges()
    // The hub now knows that Ada has no subscription. Other reads are the test's own.
    _ = engine.take()
    try await push.deliverChanges()
    let own = engine.take().reads
    for _ in 0..<10 { _ = try await ada.modify(zone: "Z", ("forceUpdate", Self.note("a", "y"))) }
    try await push.deliverChanges()
    #expect(engine.take().reads == own)
    let token = try await ada.device("phone")
    _ = try await ada.subscribe(Self.database)
    _ = try await ada.modify(zone: "Z", ("forceUpdate", Self.note("a", "z")))
    #expect(await push.hub.next(for: token) != nil)
  }

  @Test func `Thousands of devices can wait at once`() async throws {
    let ada = try await notes()
    let token = try await ada.device("phone")
    _ = try await ada.subscribe(Self.database)
    let hub = push.hub
    let count = try await withThrowingTaskGroup(of: Bool.self) { group in
      for number in 0..<5_000 { group.addTask { await hub.next(for: "other \(number)") != nil } }
      try await push.waitForWaiters(5_000)
      group.addTask { await hub.next(for: token) != nil }
      try await push.waitForWaiters(5_001)
      _ = try await ada.modify(zone: "Z", ("create", Self.note("a", "x")))
      #expect(try await group.next() == true)
      #expect(hub.waiterCount == 5_000)
      group.cancelAll()
      var silent = 0
      for try await wasNotified in group where !wasNotified { silent += 1 }
      return silent
    }
    #expect(count == 5_000)
    #expect(hub.waiterCount == 0)
  }
}
