import CloudRecords
import CloudWire
import RecordServer
import RecordStorage
import Testing

/// Lists without pages.
///
/// A change that would make a list longer than a response is rejected.
@Suite struct `Whole lists` {
  private let engine = MemoryStorageEngine()

  private func ada(answerBytes: Int, zones: Int = 1_000) async throws -> Client {
    var limits = ServiceLimits()
    (limits.answerBytes, limits.zonesPerDatabase) = (answerBytes, zones)
    return try await Cloud(limits: limits, engine: engine).user("_ada")
  }

  private func expectTooLong(_ reply: Reply, _ place: SourceLocation = #_sourceLocation) {
    #expect(reply["extensionErrorCode"].text == "LIMIT_EXCEEDED", "\(reply)", sourceLocation: place)
    #expect(
      reply["reason"].text?.contains("(the limit “answer-bytes”)") == true, sourceLocation: place)
  }

  // MARK: Subscriptions

  /// A subscription whose encoding is slightly longer than its text.
  private func subscription(_ name: String, _ size: Int, _ character: String = "x") -> String {
    let text = String(repeating: character, count: size)
    return
      #""subscriptionID":"\#(name)","subscriptionType":"database","notificationInfo":{"alertBody":"\#(text)"}"#
  }

  @Test func `A subscription is rejected if the list would exceed a response`() async throws {
    let ada = try await ada(answerBytes: 10_000)
    #expect(try await ada.subscribe(subscription("a", 4_500)).subscriptions == ["a"])
    #expect(try await ada.subscribe(subscription("b", 4_500)).subscriptions == ["b"])
    let refused = try await ada.subscribe(subscription("c", 900))
    #expect(refused.subscriptions == ["c: QUOTA_EXCEEDED"])
    expectTooLong(refused["subscriptions"][0])
    // An existing one may become shorter, but not too long for the list.
    #expect(
      try await ada.subscribe(subscription("a", 5_500)).subscriptions == ["a: QUOTA_EXCEEDED"])
    #expect(try await ada.subscribe(subscription("a", 3_000)).subscriptions == ["a"])
    #expect(try await ada.subscribe(subscription("c", 900)).subscriptions == ["c"])
    #expect(try await ada.ask(.private, .subscriptionsList).subscriptions == ["a", "b", "c"])
  }

  @Test func `Subscriptions are measured as written, not as stored`() async throws {
    let ada = try await ada(answerBytes: 10_000)
    // Each character takes six bytes.
    #expect(try await ada.subscribe(subscription("a", 800, #"\u0001"#)).subscriptions == ["a"])
    #expect(try await ada.subscribe(subscription("b", 800, "x")).subscriptions == ["b"])
    #expect(
      try await ada.subscribe(subscription("c", 800, #"\u0001"#)).subscriptions == [
        "c: QUOTA_EXCEEDED"
      ])
  }

  @Test
  func `One subscription always fits, and a list over a lowered limit can shrink`() async throws {
    let ada = try await ada(answerBytes: 2_000)
    #expect(try await ada.subscribe(subscription("a", 4_500)).subscriptions == ["a"])
    #expect(try await ada.ask(.private, .subscriptionsList).subscriptions == ["a"])
    let before = try await self.ada(answerBytes: 10_000)
    #expect(try await before.subscribe(subscription("b", 4_500)).subscriptions == ["b"])
    expectTooLong(try await ada.ask(.private, .subscriptionsList))
    #expect(try await ada.subscribe(subscription("b", 3_000)).subscriptions == ["b"])
    #expect(
      try await ada.change("delete", #""subscriptionID":"a""#).subscriptions == ["a: deleted"])
    #expect(try await ada.ask(.private, .subscriptionsList).subscriptions == ["b"])
  }

  @Test func `A request for more subscriptions than fit is rejected`() async throws {
    let ada = try await ada(answerBytes: 10_000)
    let before = try await self.ada(answerBytes: 100_000)
    for name in ["a", "b", "c"] {
      #expect(try await before.subscribe(subscription(name, 4_500)).subscriptions == [name])
    }
    func found(_ names: String...) async throws -> Reply {
      let list = names.map { #"{"subscriptionID":"\#($0)"}"# }.joined(separator: ",")
      return try await ada.ask(.private, .subscriptionsLookup, #"{"subscriptions":[\#(list)]}"#)
    }
    #expect(try await found("a", "b").subscriptions == ["a", "b"])
    expectTooLong(try await found("a", "b", "c"))
    expectTooLong(try await found("a", "a", "a"))
    // A rejected request changes nothing.
    let many = try await ada.subscribe(
      subscription("a", 3_400), subscription("b", 3_400), subscription("c", 3_400))
    expectTooLong(many)
    #expect(
      try await found("a")["subscriptions"][0]["notificationInfo"]["alertBody"].text?.utf8.count
        == 4_500)
  }

  // MARK: Zones

  /// The longest name, of characters that take two bytes each in JSON.
  private func name(_ number: Int) -> String {
    let digits = "\(number)"
    return digits + String(repeating: #"\""#, count: 255 - digits.utf8.count)
  }

  private func make(_ number: Int, by client: Client) async throws -> Reply {
    try await client.ask(
      .private, .zonesModify,
      #"{"operations":[{"operationType":"create","zone":{"zoneID":{"zoneName":"\#(name(number))"}}}]}"#
    )["zones"][0]
  }

  /// Shares a zone as a whole with all users who have the link.
  private func share(_ number: Int, of client: Client) async throws -> String {
    let made = try await client.ask(
      .private, .recordsModify,
      #"{"operations":[{"operationType":"create","record":{"recordName":"cloudkit.zoneshare","recordType":"cloudkit.share","fields":{},"publicPermission":"READ_ONLY"}}],"zoneID":{"zoneName":"\#(name(number))"}}"#
    )
    return try #require(made["records"][0]["shortGUID"].text, "\(made)")
  }

  @Test func `A zone is rejected if the list of zones would exceed a response`() async throws {
    let ada = try await ada(answerBytes: 10_000)
    func made(_ number: Int) async throws -> Bool {
      let body =
        #"{"operations":[{"operationType":"create","zone":{"zoneID":{"zoneName":"zone \#(number)"}}}]}"#
      return try await ada.ask(.private, .zonesModify, body)["zones"][0]["syncToken"].isThere
    }
    var count = 0
    while try await made(count) { count += 1 }
    // Each takes at most about 400 bytes.
    #expect(count >= 20)
    #expect(try await ada.ask(.private, .zonesList)["zones"].list.count == count + 1)
    // A deleted one frees its own space only.
    let delete =
      #"{"operations":[{"operationType":"delete","zone":{"zoneID":{"zoneName":"zone 3"}}}]}"#
    #expect(try await ada.ask(.private, .zonesModify, delete)["zones"][0]["deleted"].flag == true)
    #expect(try await made(3))
    #expect(try await !made(count))
  }

  @Test func `A user's zones always fit`() async throws {
    let ada = try await ada(answerBytes: 10_240)
    var count = 0
    var refused = Reply(tree: nil)
    while count < 20 {
      refused = try await make(count, by: ada)
      guard refused["syncToken"].isThere else { break }
      _ = try await share(count, of: ada)
      count += 1
    }
    #expect((5..<20).contains(count))
    #expect(refused["serverErrorCode"].text == "QUOTA_EXCEEDED")
    #expect(refused["reason"].text?.contains("“answer-bytes”") == true, "\(refused)")
    let list = try await ada.ask(.private, .zonesList)
    #expect(list["zones"].list.count == count + 1, "\(list)")
    #expect(list["zones"].list.count { $0["share"].isThere } == count, "\(list)")
    // The list exceeds a response only if the limit is lowered later.
    let lowered = try await self.ada(answerBytes: 4_096)
    #expect(try await lowered.ask(.private, .zonesList)["zones"].list.isEmpty)
    expectTooLong(try await lowered.ask(.private, .zonesList))
  }

  private func join(_ link: String, _ client: Client) async throws -> Reply {
    try await client.ask(.public, .recordsAccept, #"{"shortGUIDs":[{"value":"\#(link)"}]}"#)[
      "results"][0]
  }

  @Test(arguments: [(2 * 2_048, 1_000), (1 << 20, 2)])
  func `A user's shared zones always fit`(answerBytes: Int, zones: Int) async throws {
    let ada = try await ada(answerBytes: answerBytes, zones: zones)
    let (bob, eve) = (try await ada.cloud.user("_bob"), try await ada.cloud.user("_eve"))
    var links: [String] = []
    for (owner, number) in [(ada, 0), (ada, 1), (eve, 2)] {
      _ = try await make(number, by: owner)
      links.append(try await share(number, of: owner))
    }
    for link in links[..<2] {
      #expect(try await join(link, bob)["participantStatus"].text == "ACCEPTED")
    }
    let refused = try await join(links[2], bob)
    #expect(refused["serverErrorCode"].text == "QUOTA_EXCEEDED")
    #expect(refused["extensionErrorCode"].text == "LIMIT_EXCEEDED", "\(refused)")
    #expect(try await bob.ask(.shared, .zonesList)["zones"].list.count == 2)
    // The request changed nothing: Eve's share has no other participant.
    let share = try await eve.ask(
      .private, .recordsLookup,
      #"{"records":[{"recordName":"cloudkit.zoneshare"}],"zoneID":{"zoneName":"\#(name(2))"}}"#)
    #expect(share["records"][0]["participants"].list.count == 1, "\(share)")
    // Users may join again where they are participants, and ended participations do not count.
    #expect(try await join(links[0], bob)["participantStatus"].text == "ACCEPTED")
    #expect(
      try await ada.ask(
        .private, .zonesModify,
        #"{"operations":[{"operationType":"delete","zone":{"zoneID":{"zoneName":"\#(name(0))"}}}]}"#
      )["zones"][0][
        "deleted"
      ].flag == true)
    #expect(try await join(links[2], bob)["participantStatus"].text == "ACCEPTED")
    #expect(try await bob.ask(.shared, .zonesList)["zones"].list.count == 2)
  }
}
