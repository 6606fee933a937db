import CloudRecords
import CloudWire
import RecordServer
import Testing

/// Requests by users who know the URL of a share and were not invited.
@Suite struct `Access requests` {
  private let cloud = Cloud()

  /// Ada's zone share, with or without access requests.
  private func share(takesRequests: Bool = true) async throws -> (ada: Client, short: String) {
    let ada = try await cloud.user("_ada")
    try await ada.makeZone("Z")
    let option = takesRequests ? #","denyAccessRequests":false"# : ""
    let reply = try await ada.modify(
      zone: "Z",
      (
        "create",
        #""recordName":"cloudkit.zoneshare","recordType":"cloudkit.share","fields":{}\#(option)"#
      ))
    return (ada, try #require(reply["records"][0]["shortGUID"].text, "\(reply)"))
  }

  private func ask(_ client: Client, _ short: String) async throws -> Reply {
    try await client.ask(
      .public, .recordsRequestAccess, #"{"shortGUIDs":[{"value":"\#(short)"}]}"#)["results"][0]
  }

  /// The share as a user sees it.
  private func seen(by client: Client, in scope: DatabaseScope = .private) async throws -> Reply {
    try await client.lookUp(in: scope, zone: "Z", owner: "_ada", "cloudkit.zoneshare")["records"][0]
  }

  private func people(_ share: Reply, _ key: String) -> [String?] {
    share[key].list.map { $0["userIdentity"]["userRecordName"].text }
  }

  private func change(_ ada: Client, _ members: String) async throws -> Reply {
    try await ada.modify(
      zone: "Z", ("forceUpdate", #""recordName":"cloudkit.zoneshare",\#(members)"#))["records"][0]
  }

  private static func person(_ name: String) -> String {
    #"{"userIdentity":{"userRecordName":"\#(name)"}}"#
  }

  @Test func `The owner is notified once, and the requester learns nothing of the share`()
    async throws
  {
    let (ada, short) = try await share()
    let bob = try await cloud.user("_bob")
    _ = cloud.notices.take()
    #expect(try await ask(bob, short)["zoneID"]["zoneName"].text == "Z")
    #expect(cloud.notices.take().map(\.zone.zoneName) == ["Z"])
    #expect(try await ask(bob, short)["zoneID"]["zoneName"].text == "Z")
    #expect(cloud.notices.take().isEmpty)
    let share = try await seen(by: ada)
    #expect(share["denyAccessRequests"].flag == false && people(share, "requesters") == ["_bob"])
    let reported = try await bob.ask(
      .public, .recordsResolve, #"{"shortGUIDs":[{"value":"\#(short)"}]}"#)["results"][0]
    #expect(reported["share"]["recordName"].text == "cloudkit.zoneshare")
    #expect(
      !reported["share"]["requesters"].isThere && !reported["share"]["denyAccessRequests"].isThere)
    #expect(try await bob.ask(.shared, .zonesList)["zones"].list.isEmpty)
  }

  @Test func `A share without access requests answers as if it did not exist`() async throws {
    let (ada, short) = try await share(takesRequests: false)
    let bob = try await cloud.user("_bob")
    let refused = try await ask(bob, short)
    let missing = try await ask(bob, "nothing")
    #expect(
      refused["serverErrorCode"].text == "NOT_FOUND"
        && missing["serverErrorCode"].text == "NOT_FOUND")
    #expect(
      refused["reason"].text?.replacing(short, with: "")
        == missing["reason"].text?.replacing("nothing", with: ""))
    _ = try await change(ada, #""denyAccessRequests":false"#)
    #expect(try await ask(bob, short)["zoneID"]["zoneName"].text == "Z")
    _ = try await change(ada, #""denyAccessRequests":true"#)
    let eve = try await cloud.user("_eve")
    #expect(try await ask(eve, short)["serverErrorCode"].text == "NOT_FOUND")
    #expect(people(try await seen(by: ada), "requesters") == ["_bob"])
  }

  @Test func `A request needs a user and changes nothing for participants`() async throws {
    let (ada, short) = try await share()
    let anonymous = try await cloud.client(.anonymous)
    #expect(
      try await anonymous.ask(
        .public, .recordsRequestAccess, #"{"shortGUIDs":[{"value":"\#(short)"}]}"#
      ).status == 421)
    let before = try await seen(by: ada)["recordChangeTag"].text
    #expect(try await ask(ada, short)["zoneID"]["zoneName"].text == "Z")
    #expect(try await seen(by: ada)["recordChangeTag"].text == before)
  }

  @Test func `An invited user is referred to the invitation`() async throws {
    let (ada, short) = try await share()
    let bob = try await cloud.user("_bob")
    _ = try await change(
      ada, #""participants":[{"userIdentity":{"userRecordName":"_bob"},"permission":"READ_WRITE"}]"#
    )
    let refused = try await ask(bob, short)
    #expect(refused["serverErrorCode"].text == "BAD_REQUEST")
    #expect(refused["extensionErrorCode"].text == "PARTICIPANT_ALREADY_INVITED")
    #expect(people(try await seen(by: ada), "requesters").isEmpty)
    _ = try await bob.ask(.public, .recordsAccept, #"{"shortGUIDs":[{"value":"\#(short)"}]}"#)
    #expect(try await ask(bob, short)["zoneID"]["zoneName"].text == "Z")
  }

  @Test func `A request ends when the owner invites the requester`() async throws {
    let (ada, short) = try await share()
    let bob = try await cloud.user("_bob")
    _ = try await ask(bob, short)
    let invited = try await change(
      ada, #""participants":[{"userIdentity":{"userRecordName":"_bob"},"permission":"READ_WRITE"}]"#
    )
    #expect(people(invited, "requesters").isEmpty)
    let guest = invited["participants"][1]
    #expect(
      guest["isApprovedRequester"].flag == true && guest["acceptanceStatus"].text == "INVITED")
    let joined = try await bob.ask(
      .public, .recordsAccept, #"{"shortGUIDs":[{"value":"\#(short)"}]}"#)["results"][0]
    #expect(joined["participantStatus"].text == "ACCEPTED")
    #expect(try await seen(by: ada)["participants"][1]["isApprovedRequester"].flag == true)
    #expect(!(try await seen(by: bob, in: .shared))["requesters"].isThere)
  }

  @Test func `A request is possible again after a rejection, but not after a block`() async throws {
    let (ada, short) = try await share()
    let bob = try await cloud.user("_bob")
    _ = try await ask(bob, short)
    let denied = try await change(ada, #""deniedRequesters":[\#(Self.person("_bob"))]"#)
    #expect(people(denied, "requesters").isEmpty)
    _ = try await ask(bob, short)
    #expect(people(try await seen(by: ada), "requesters") == ["_bob"])
    let blocked = try await change(ada, #""blocked":[\#(Self.person("_bob"))]"#)
    #expect(people(blocked, "requesters").isEmpty && people(blocked, "blocked") == ["_bob"])
    #expect(try await ask(bob, short)["serverErrorCode"].text == "NOT_FOUND")
    _ = try await change(ada, #""blocked":[]"#)
    #expect(try await ask(bob, short)["zoneID"]["zoneName"].text == "Z")
  }

  @Test func `Other requests survive a rejection`() async throws {
    let (ada, short) = try await share()
    let (bob, eve) = (try await cloud.user("_bob"), try await cloud.user("_eve"))
    for one in [bob, eve] { _ = try await ask(one, short) }
    let denied = try await change(ada, #""deniedRequesters":[\#(Self.person("_bob"))]"#)
    #expect(people(denied, "requesters") == ["_eve"])
  }

  @Test func `A block ends participation and the use of the open link`() async throws {
    let (ada, short) = try await share()
    let bob = try await cloud.user("_bob")
    _ = try await change(ada, #""publicPermission":"READ_ONLY""#)
    let accept = #"{"shortGUIDs":[{"value":"\#(short)"}]}"#
    _ = try await bob.ask(.public, .recordsAccept, accept)
    #expect(try await bob.ask(.shared, .zonesList)["zones"].list.count == 1)
    _ = cloud.notices.take()
    let blocked = try await change(ada, #""blocked":[\#(Self.person("_bob"))]"#)
    #expect(people(blocked, "blocked") == ["_bob"] && blocked["participants"].list.count == 1)
    #expect(cloud.notices.take().contains { $0.removedParticipants == ["_bob"] })
    #expect(try await bob.ask(.shared, .zonesList)["zones"].list.isEmpty)
    let again = try await bob.ask(.public, .recordsAccept, accept)["results"][0]
    #expect(again["serverErrorCode"].text == "NOT_FOUND")
    #expect(
      try await change(ada, #""blocked":[\#(Self.person("_ada"))]"#)["serverErrorCode"].text
        == "BAD_REQUEST")
  }

  @Test func `A user who looks up a share learns their own status`() async throws {
    let (ada, short) = try await share()
    let (bob, eve) = (try await cloud.user("_bob"), try await cloud.user("_eve"))
    _ = try await change(ada, #""participants":[{"userIdentity":{"userRecordName":"_bob"}}]"#)
    func status(_ client: Client) async throws -> String? {
      let reported = try await client.ask(
        .public, .recordsResolve, #"{"shortGUIDs":[{"value":"\#(short)"}]}"#)["results"][
          0]
      return reported["participantStatus"].text ?? reported["serverErrorCode"].text
    }
    #expect(try await status(ada) == "ACCEPTED")
    #expect(try await status(bob) == "INVITED")
    #expect(try await status(eve) == "UNKNOWN")
    _ = try await change(ada, #""blocked":[\#(Self.person("_bob"))]"#)
    #expect(try await status(bob) == "NOT_FOUND")
    // The link already admits every user.
    _ = try await change(ada, #""publicPermission":"READ_ONLY""#)
    #expect(try await status(eve) == "INVITED")
    #expect(try await status(bob) == "NOT_FOUND")
  }

  @Test func `Only managers of a share answer requests`() async throws {
    let (ada, short) = try await share()
    let (bob, eve) = (try await cloud.user("_bob"), try await cloud.user("_eve"))
    _ = try await change(
      ada, #""participants":[{"userIdentity":{"userRecordName":"_bob"},"permission":"READ_WRITE"}]"#
    )
    _ = try await bob.ask(.public, .recordsAccept, #"{"shortGUIDs":[{"value":"\#(short)"}]}"#)
    _ = try await ask(eve, short)
    for members in [
      #""denyAccessRequests":true"#, #""deniedRequesters":[\#(Self.person("_eve"))]"#,
      #""blocked":[\#(Self.person("_eve"))]"#,
    ] {
      let refused = try await bob.modify(
        in: .shared, zone: "Z", owner: "_ada",
        ("forceUpdate", #""recordName":"cloudkit.zoneshare",\#(members)"#))
      #expect(refused.records == ["cloudkit.zoneshare: ACCESS_DENIED"])
    }
    #expect(people(try await seen(by: ada), "requesters") == ["_eve"])
  }

  @Test func `The number of requests is limited`() async throws {
    var limits = ServiceLimits()
    limits.participantsPerShare = 2
    let owner = UserIdentity(userRecordName: "_ada")
    var share = ShareDetails(
      publicPermission: .none,
      participants: [
        ShareParticipant(
          identifier: "p", identity: owner, role: .owner, permission: .readWrite,
          acceptance: .accepted)
      ])
    share.requests.areAllowed = true
    let hidden = CloudError(.notFound, "hidden")
    for name in ["_bob", "_eve", "_bob"] {
      share = try ShareRules.requestAccess(
        share, by: ShareVisitor(userRecordName: name), limits: limits, hiding: hidden)
    }
    #expect(share.requests.requesters.map(\.userRecordName) == ["_bob", "_eve"])
    #expect {
      try ShareRules.requestAccess(
        share, by: ShareVisitor(userRecordName: "_mallory"), limits: limits, hiding: hidden)
    } throws: {
      ($0 as? CloudError)?.extension == .tooManyParticipants
    }
  }
}
