import CloudRecords
import CloudWire
import TestSupport
import Testing

/// Notifications as Apple's server and ours write them.
@Suite struct `Notifications` {
  private func read(_ json: String) throws -> PushNotification {
    try PushNotification(answer: Array(json.utf8))
  }

  @Test func `A record notification names the record and the change`() throws {
    let reported = try read(
      #"""
      {"aps":{"content-available":1,"alert":{"body":"Hi","loc-key":"K","loc-args":["a"],"launch-image":"i"},"badge":3,"sound":"s"},
       "ck":{"cid":"iCloud.x","nid":"n1","ce":2,"ckuserid":"_me","aux":{},"p":1,
        "qry":{"zid":"Z","zoid":"_o","rid":"r","sid":"s1","dbs":0,"fo":3,
          "af":{"title":"T","count":2,"ratio":0.5,"link":{"recordName":"x"},"tags":["a","b"],"odd":{"x":1}}}}}
      """#)
    let zone = RecordZoneIdentifier(zoneName: "Z", ownerName: "_o")
    let fields: RecordFields = [
      "title": Field(.string("T")), "count": Field(.int64(2)), "ratio": Field(.double(0.5)),
      "link": Field(.reference(RecordReference(recordName: "x"))),
      "tags": Field(.list(of: .string, [.string("a"), .string("b")])),
    ]
    #expect(
      reported.content
        == .query(RecordIdentifier(recordName: "r", zone: zone), event: .delete, fields: fields))
    #expect(
      reported.scope == .public && reported.subscriptionIdentifier == "s1" && reported.isPruned)
    #expect(
      reported.identifier == "n1" && reported.container == "iCloud.x"
        && reported.userRecordName == "_me")
    #expect(
      reported.info?.body == NotificationInfo.Text("Hi", localizationKey: "K", arguments: ["a"]))
    #expect(
      reported.info?.shouldBadge == true && reported.info?.soundName == "s"
        && reported.info?.alertLaunchImage == "i")
  }

  @Test(arguments: [
    (
      #"{"aps":{"content-available":1},"ck":{"met":{"sid":"s","dbs":2}}}"#, DatabaseScope.shared,
      PushNotification.Content.database(nil)
    ),
    (
      #"{"ck":{"met":{"sid":"s","dbs":1,"zid":"Z"}}}"#, .private,
      .database(RecordZoneIdentifier(zoneName: "Z", ownerName: "__defaultOwner__"))
    ),
    (
      #"{"aps":{"alert":7},"ck":{"fet":{"zid":"Z","zoid":"_o","sid":"s"}}}"#, .private,
      .zone(RecordZoneIdentifier(zoneName: "Z", ownerName: "_o"))
    ),
  ])
  func `Zone and database notifications may be minimal`(
    json: String, scope: DatabaseScope, content: PushNotification.Content
  ) throws {
    let reported = try read(json)
    #expect(
      reported.scope == scope && reported.content == content && reported.info == nil
        && reported.subscriptionIdentifier == "s")
  }

  @Test func `A notification may consist of a text only`() throws {
    #expect(
      try read(#"{"aps":{"alert":"Hi","sound":{"name":"s"}},"ck":{"met":{}}}"#).info?.body.plain
        == "Hi")
  }

  @Test func `A notification over the size limit is shortened and marked`() throws {
    var subscription = Subscription(identifier: "s", kind: .database)
    subscription.notification = NotificationInfo()
    subscription.notification?.body.plain = String(repeating: "b", count: 100)
    let record = RecordIdentifier(
      recordName: "r", zone: RecordZoneIdentifier(zoneName: "Z", ownerName: "_o"))
    let fields: RecordFields = ["title": Field(.string(String(repeating: "f", count: 100)))]
    let whole = PushNotification(
      identifier: "n", container: "iCloud.x", userRecordName: "_me", scope: .private,
      subscription: subscription,
      content: .query(record, event: .create, fields: fields))
    let bare = PushNotification.Content.query(record, event: .create, fields: RecordFields())
    func pruned(to bytes: Int) -> PushNotification {
      var notification = whole
      notification.prune(to: bytes)
      return notification
    }
    #expect(pruned(to: 1_000) == whole)
    let withoutFields = pruned(to: 350)
    #expect(
      withoutFields.isPruned && withoutFields.content == bare && withoutFields.info == whole.info)
    let silent = pruned(to: 250)
    #expect(silent.isPruned && silent.content == bare && silent.info == nil)
  }

  @Test(arguments: [
    (#"{"aps":{}}"#, "ck"), (#"{"ck":{}}"#, "qry, fet and met"), (#"{"ck":{"fet":{}}}"#, "zid"),
    (#"{"ck":{"qry":{"rid":"a","fo":4}}}"#, "1, 2 or 3"),
    (#"{"ck":{"met":{"dbs":-1}}}"#, "0, 1 or 2"),
    ("<html>", "<html>"),
  ])
  func `An incomplete notification is rejected`(json: String, reason: String) {
    let error = #expect(throws: CloudError.self) { try read(json) }
    #expect(error?.reason.contains(reason) == true, "\(error?.reason ?? "-")")
  }

  @Test func `An empty body is no notification`() throws {
    #expect(
      try PushNotification.delivered([]) == nil
        && PushNotification.delivered(Array("\r\n".utf8)) == nil)
    #expect(try PushNotification.delivered(Array(#"{"ck":{"met":{}}}"#.utf8)) != nil)
  }

  private static let stream =
    ":\n\ndata: {\"ck\":{\"nid\":\"1\",\"met\":{}}}\n\n:\n\nevent: x\r\nid: 7\r\ndata:{\"ck\":{\"nid\":\"2\",\r\ndata:\"met\":{}}}\r\n\r\n"
    + "data: nothing\n\n\n\ndata: {\"ck\":{\"nid\":\"3\",\"met\":{}}}\r\rdata: {\"ck\":{\"nid\":\"4\""

  @Test func `Notifications are read from a stream, however it is divided`() throws {
    var random = SeededGenerator.forTest()
    for _ in 0..<200 {
      var stream = NotificationStream()
      var rest = Array(Self.stream.utf8)[...]
      var names: [String] = []
      while !rest.isEmpty {
        let piece = rest.prefix(Int.random(in: 1...40, using: &random))
        rest = rest.dropFirst(piece.count)
        for reported in stream.take(Array(piece)) {
          names.append((try? reported.get().identifier) ?? "-")
        }
      }
      #expect(names == ["1", "2", "-", "3"], "\(random)")
    }
  }

  @Test func `An endless notification takes bounded memory`() throws {
    var stream = NotificationStream()
    let piece = [UInt8](repeating: UInt8(ascii: "x"), count: 1 << 18)
    for _ in 0..<8 { #expect(stream.take(piece).isEmpty) }
    let reported = stream.take(Array("\n\ndata: {\"ck\":{\"nid\":\"5\",\"met\":{}}}\n\n".utf8))
    #expect(reported.map { (try? $0.get())?.identifier } == [nil, "5"])
  }
}
