import CloudRecords
import CloudWire
import RecordServer
import Testing

/// The roles of participants, invited users and visitors.
@Suite struct `Roles in a share` {
  private static let limits = ServiceLimits()

  private func person(
    _ identifier: String, _ identity: UserIdentity, _ role: ShareParticipant.Role = .user,
    _ acceptance: ShareParticipant.Acceptance = .invited
  ) -> ShareParticipant {
    ShareParticipant(
      identifier: identifier, identity: identity, role: role, permission: .readOnly,
      acceptance: acceptance)
  }

  private func share(
    _ permission: ShareParticipant.Permission = .none, _ others: ShareParticipant...
  ) -> ShareDetails {
    let owner = ShareParticipant(
      identifier: "p1", identity: UserIdentity(userRecordName: "_owner"), role: .owner,
      permission: .readWrite,
      acceptance: .accepted)
    return ShareDetails(publicPermission: permission, participants: [owner] + others, rootName: "r")
  }

  @Test func `An open share rejects a list without its participants`() throws {
    let open = share(.readOnly, person("p2", UserIdentity(userRecordName: "_a"), .user, .accepted))
    #expect(throws: CloudError.self) {
      try ShareRules.change(
        open, ShareRules.Proposal(participants: []), limits: Self.limits, makeIdentifier: { "n" })
    }
  }

  @Test func `An administrator is a manager after accepting`() {
    for (acceptance, isManager) in [(.invited, false), (.accepted, true)]
      as [(ShareParticipant.Acceptance, Bool)]
    {
      let share = share(
        .none, person("p2", UserIdentity(userRecordName: "_a"), .administrator, acceptance),
        person("p3", UserIdentity(userRecordName: "_b")))
      #expect(ShareRules.isManager("_a", of: share) == isManager)
      #expect(ShareRules.participants(of: share, shownTo: "_a").count == (isManager ? 3 : 2))
    }
  }

  @Test func `Only invitations by address can match`() {
    var share = share(
      .none, person("p2", UserIdentity(userRecordName: "_a")),
      person("p3", UserIdentity(lookupInfo: .emailAddress("b@example.com"))))
    share.requests.areAllowed = true
    let invitation = ShareRules.invitation(of: ShareVisitor(userRecordName: "_eve"), to: share)
    #expect(invitation == .unknown(potentialMatches: [share.participants[2]]))
  }

  @Test(arguments: [false, true])
  func `Joining ends the user's access request`(isOpen: Bool) throws {
    var share =
      isOpen
      ? share(.readOnly)
      : share(.none, person("p2", UserIdentity(lookupInfo: .emailAddress("b@example.com"))))
    share.requests.requesters = [
      UserIdentity(userRecordName: "_b"), UserIdentity(userRecordName: "_c"),
    ]
    let visitor = ShareVisitor(
      userRecordName: "_b", provenAddresses: [.emailAddress("b@example.com")])
    let joined = try ShareRules.accept(
      share, by: visitor, limits: Self.limits, makeIdentifier: { "n" })
    #expect(
      joined.participants.contains {
        $0.identity.userRecordName == "_b" && $0.acceptance == .accepted
      })
    #expect(joined.requests.requesters.map(\.userRecordName) == ["_c"])
  }
}

/// The user names in a share's record, and which of them a reader sees.
@Suite struct `Share records` {
  private static func participant(_ name: String, _ role: String) -> String {
    #"{"userIdentity":{"userRecordName":"\#(name)"},"type":"\#(role)","permission":"READ_WRITE"}"#
  }

  @Test func `A share's owner can be named __defaultOwner__`() async throws {
    let zone = try await SharedZone(Cloud())
    try await zone.modify(.save("root"))
    let own = Self.participant("__defaultOwner__", "OWNER")
    let people = #""participants":[\#(own),\#(Self.participant("_bob", "USER"))]"#
    let created = try await zone.modify(
      SharedZoneOperation(
        kind: "create",
        record:
          #""recordName":"s","recordType":"cloudkit.share","fields":{},"forRecord":{"recordName":"root"},\#(people)"#
      ))
    func names(_ reply: Reply) -> [String?] {
      reply["records"][0]["participants"].list.map { $0["userIdentity"]["userRecordName"].text }
    }
    #expect(names(created) == ["_ada", "_bob"], "\(created)")
    let changed = try await zone.modify(
      SharedZoneOperation(
        kind: "forceUpdate",
        record: #""recordName":"s","participants":[\#(own),\#(Self.participant("_carl", "USER"))]"#)
    )
    #expect(names(changed) == ["_ada", "_carl"], "\(changed)")
  }

  @Test func `Only managers, and the latest participant, see who joined last`() async throws {
    let zone = try await SharedZone(Cloud())
    let (bob, carl, eve) = (
      try await zone.cloud.user("_bob"), try await zone.cloud.user("_carl"),
      try await zone.cloud.user("_eve")
    )
    try await zone.modify(.save("root"))
    let created = try await zone.modify(
      .share("s", of: "root", with: [("_bob", "READ_ONLY"), ("_carl", "READ_ONLY")]))
    try await zone.modify(.allowRequests("s"))
    let link = try #require(created["records"][0]["shortGUID"].text)
    for client in [carl, bob] { try await zone.accept(link, client) }
    func resolved(by client: Client) async throws -> Reply {
      try await client.ask(.public, .recordsResolve, #"{"shortGUIDs":[{"value":"\#(link)"}]}"#)[
        "results"][0]["share"]
    }
    func found(by client: Client) async throws -> Reply {
      try await zone.lookUp(by: client, ["s"])["records"][0]
    }
    func feed(of client: Client) async throws -> Reply {
      let page = try await client.changes(
        in: zone.scope(of: client), zone: SharedZone.name, owner: "_ada")["zones"][0]["records"]
      return try #require(page.list.first { $0["recordName"].text == "s" })
    }
    for (client, expected) in [(zone.ada, "_bob"), (bob, "_bob"), (carl, "_ada")] {
      for share in [
        try await found(by: client), try await feed(of: client), try await resolved(by: client),
      ] {
        #expect(share["modified"]["userRecordName"].text == expected, "\(client.name) \(share)")
      }
    }
    #expect(try await resolved(by: eve)["modified"]["userRecordName"].text == "_ada")
    #expect(try await resolved(by: eve)["created"]["userRecordName"].text == "_ada")
  }
}

@Suite struct `Shared trees` {
  @Test func `A share's metadata has no root record for a participant without permission`()
    async throws
  {
    let zone = try await SharedZone(Cloud())
    let bob = try await zone.cloud.user("_bob")
    try await zone.modify(.save("root"))
    let created = try await zone.modify(.share("s", of: "root", with: [("_bob", "READ_ONLY")]))
    let link = try #require(created["records"][0]["shortGUID"].text, "\(created)")
    try await zone.accept(link, bob)
    let lookup = #"{"shortGUIDs":[{"value":"\#(link)","shouldFetchRootRecord":true}]}"#
    for (permission, isShown) in [("READ_ONLY", true), ("NONE", false)] {
      try await zone.modify(.people([("_bob", permission)], of: "s"))
      let metadata = try await bob.ask(.public, .recordsResolve, lookup)["results"][0]
      #expect(metadata["participantPermission"].text == permission, "\(metadata)")
      #expect(metadata["rootRecordName"].text == "root", "\(metadata)")
      #expect(metadata["rootRecord"].isThere == isShown, "\(metadata)")
    }
  }

  @Test func `A participant cannot move a record out of a share`() async throws {
    let zone = try await SharedZone(Cloud())
    let bob = try await zone.cloud.user("_bob")
    try await zone.modify(.save("root"), .save("child", under: .record("root")), .save("other"))
    try await zone.share("s", of: "root", with: [(bob, "READ_WRITE")])
    let reply = try await zone.modify(
      by: bob, atomic: false, .save("child", under: .record("other")))
    #expect(reply["records"][0]["serverErrorCode"].text == "ACCESS_DENIED", "\(reply)")
    #expect(try await zone.lookUp(by: bob, "child")[0].hasPrefix("child@"))
  }

  @Test func `A participant's new records may precede their parents in a batch`() async throws {
    let zone = try await SharedZone(Cloud())
    let bob = try await zone.cloud.user("_bob")
    try await zone.modify(.save("root"))
    try await zone.share("s", of: "root", with: [(bob, "READ_WRITE")])
    let reply = try await zone.modify(
      by: bob, .save("leaf", under: .record("twig")), .save("twig", under: .record("branch")),
      .save("branch", under: .record("root")))
    // Results have the order of the request.
    let names = reply.records.map { $0.prefix { $0 != "@" } }
    #expect(names == ["leaf", "twig", "branch"], "\(reply)")
    #expect(
      try await zone.lookUp(by: bob, "leaf", "twig", "branch").allSatisfy { $0.contains("@") })
    let cycle = try await zone.modify(
      by: bob, atomic: false, .save("x", under: .record("y")), .save("y", under: .record("x")),
      .save("z", under: .record("root")))
    #expect(cycle.records.prefix(2) == ["x: ACCESS_DENIED", "y: ACCESS_DENIED"], "\(cycle)")
    #expect(cycle.records.last?.hasPrefix("z@") == true, "\(cycle)")
  }

  @Test func `A record that leaves the root in the share's batch is not shared`() async throws {
    let zone = try await SharedZone(Cloud())
    let bob = try await zone.cloud.user("_bob")
    try await zone.modify(
      .save("root"), .save("left", under: .record("root")), .save("kept", under: .record("root")),
      .save("came"),
      .save("other"))
    let created = try await zone.modify(
      .save("left", under: .record("other")), .save("came", under: .record("root")),
      .save("kept", under: .record("root")), .share("s", of: "root", with: [("_bob", "READ_ONLY")]))
    try await zone.accept(try #require(created["records"][3]["shortGUID"].text, "\(created)"), bob)
    let found = try await zone.lookUp(by: bob, "root", "kept", "came", "left", "other")
    #expect(found.map { $0.contains("@") } == [true, true, true, false, false], "\(found)")
  }

  @Test func `A feed of a tree filters record types`() async throws {
    let zone = try await SharedZone(Cloud())
    let bob = try await zone.cloud.user("_bob")
    try await zone.modify(.save("root"), .save("child", under: .record("root")))
    let note = SharedZoneOperation(
      kind: "create",
      record: #""recordName":"note","recordType":"Note","fields":{},"parent":{"recordName":"root"}"#
    )
    try await zone.modify(note)
    try await zone.share("s", of: "root", with: [(bob, "READ_WRITE")])
    let page = try await bob.ask(
      .shared, .changesZone,
      #"{"zones":[{"zoneID":\#(Client.zoneID(SharedZone.name, "_ada")),"desiredRecordTypes":["Note"]}]}"#
    )["zones"][0]
    #expect(page["records"].list.compactMap { $0["recordName"].text } == ["note"], "\(page)")
  }
}

@Suite struct `Feed tokens` {
  @Test func `A token with any changed character is rejected`() async throws {
    let ada = try await Cloud().user("_ada")
    try await ada.makeZone("Z")
    _ = try await ada.modify(
      zone: "Z", ("create", #""recordName":"a","recordType":"T","fields":{}"#))
    let token = Array(try #require(try await ada.changes(zone: "Z")["zones"][0]["syncToken"].text))
    for index in token.indices where token[index] != "=" {
      var changed = token
      changed[index] = token[index] == "A" ? "Q" : "A"
      let page = try await ada.changes(zone: "Z", since: String(changed))["zones"][0]
      #expect(
        page["serverErrorCode"].text == "BAD_REQUEST" && !page["extensionErrorCode"].isThere,
        "\(index) \(page)")
    }
  }
}
