import CloudRecords
import CloudWire
import RecordServer
import Testing

/// Changes of more records than a device's mailbox has room for.
@Suite struct `Notifications of large changes` {
  @Test func `A user gets 64 notifications of a change, and those that fire once`()
    async throws
  {
    let push = PushCloud(capacity: 1_000)
    let ada = try await push.cloud.user("_ada")
    try await ada.makeZone("Z")
    _ = try await ada.put("old", "Note", #""title":{"value":"old"}"#, zone: "Z")
    try await push.deliverChanges()
    let token = try await ada.device("phone")
    let filter = #"{"comparator":"EQUALS","fieldName":"title","fieldValue":{"value":"t99"}}"#
    func subscription(_ name: String, _ query: String, _ more: String) -> String {
      #""subscriptionID":"\#(name)","subscriptionType":"query","#
        + #""query":{"recordType":"Note"\#(query)},"firesOn":["create"]\#(more)"#
    }
    let subscribed = try await ada.subscribe(
      subscription("all", "", ""),
      subscription("once", #","filterBy":[\#(filter)]"#, #","firesOnce":true"#))
    try #require(subscribed.subscriptions == ["all", "once"], "\(subscribed)")
    let operations = (0..<100).map {
      #"{"operationType":"create","record":{"recordName":"n\#($0)","recordType":"Note","#
        + #""fields":{"title":{"value":"t\#($0)"}}}}"#
    }
    let list = operations.joined(separator: ",")
    _ = try await ada.ask(
      .private, .recordsModify, #"{"operations":[\#(list)],"zoneID":{"zoneName":"Z"}}"#)
    let received = try await push.notifications(for: token)
    let all = received.filter { $0.subscriptionIdentifier == "all" }
    #expect(all.count == 64)
    #expect(received.count == 65)
    // The last one says that there is more.
    #expect(all.filter(\.isPruned).count == 1 && all.last?.isPruned == true)
    #expect(try await ada.ask(.private, .subscriptionsList).subscriptions == ["all"])
  }
}
