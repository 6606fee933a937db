import CloudRecords
import CloudWire
import RecordServer
import Testing

/// Users whom an owner names both by name and by address, or by an address that the share does not
/// show.
@Suite struct `Participants named by address` {
  private let cloud = Cloud()

  /// A user with an account that has these addresses.
  private func user(_ name: String, _ addresses: String...) async throws -> Client {
    let client = try await cloud.user(name)
    var user = StoredUser(identity: UserIdentity(userRecordName: name))
    user.provenAddresses = addresses.map { .emailAddress($0) }
    try await cloud.server.saveUser(user, named: name, in: client.realm)
    return client
  }

  /// Ada's zone, which is shared with these users.
  private func share(_ people: String...) async throws -> (ada: Client, short: String) {
    let ada = try await user("_ada", "ada@example.com")
    try await ada.makeZone("Z")
    let list = people.joined(separator: ",")
    let reply = try await ada.modify(
      zone: "Z",
      (
        "create",
        #""recordName":"cloudkit.zoneshare","recordType":"cloudkit.share","fields":{},"participants":[\#(list)]"#
      ))
    return (ada, try #require(reply["records"][0]["shortGUID"].text, "\(reply)"))
  }

  /// An entry that names a user by a record name to look up, instead of by identity.
  private func sought(_ name: String, as identifier: String? = nil) -> String {
    let entry = identifier.map { #","participantId":"\#($0)""# } ?? ""
    return
      #"{"userIdentity":{"lookupInfo":{"userRecordName":"\#(name)"}},"permission":"READ_ONLY"\#(entry)}"#
  }

  private func person(
    _ name: String? = nil, at address: String? = nil, _ permission: String = "READ_ONLY",
    as identifier: String? = nil,
    type: String? = nil
  ) -> String {
    var identity: [String] = []
    if let name { identity.append(#""userRecordName":"\#(name)""#) }
    if let address { identity.append(#""lookupInfo":{"emailAddress":"\#(address)"}"#) }
    var members = [
      #""userIdentity":{\#(identity.joined(separator: ","))}"#, #""permission":"\#(permission)""#,
    ]
    if let identifier { members.append(#""participantId":"\#(identifier)""#) }
    if let type { members.append(#""type":"\#(type)""#) }
    return "{\(members.joined(separator: ","))}"
  }

  private func accept(_ client: Client, _ short: String) async throws -> String? {
    let reply = try await client.ask(
      .public, .recordsAccept, #"{"shortGUIDs":[{"value":"\#(short)"}]}"#)["results"][0]
    return reply["serverErrorCode"].text ?? reply["participantStatus"].text
  }

  private func change(_ ada: Client, _ members: String) async throws -> Reply {
    try await ada.modify(
      zone: "Z", ("forceUpdate", #""recordName":"cloudkit.zoneshare",\#(members)"#))["records"][0]
  }

  private func setting(_ ada: Client, _ people: String...) async throws -> Reply {
    try await change(ada, #""participants":[\#(people.joined(separator: ","))]"#)
  }

  private func seen(by ada: Client) async throws -> Reply {
    try await ada.lookUp(zone: "Z", "cloudkit.zoneshare")["records"][0]
  }

  /// The participants except the owner, in short.
  private func people(_ share: Reply) -> [String] {
    share["participants"].list.filter { $0["type"].text != "OWNER" }.map { one in
      let identity = one["userIdentity"]
      let name =
        identity["userRecordName"].text ?? identity["lookupInfo"]["emailAddress"].text ?? "?"
      return
        "\(name) \(one["type"].text ?? "?") \(one["acceptanceStatus"].text ?? "?") \(one["permission"].text ?? "?")"
    }
  }

  // MARK: One entry

  @Test func `A participant invited by address and named later stays one, with the new permission`()
    async throws
  {
    let (ada, short) = try await share(person(at: "bob@example.com"))
    let bob = try await user("_bob", "bob@example.com")
    #expect(try await accept(bob, short) == "ACCEPTED")
    let entry = try #require(try await seen(by: ada)["participants"][1]["participantId"].text)
    let known = person("_bob", at: "bob@example.com", as: entry)
    let changed = try await setting(ada, known, person("_bob", "READ_WRITE", type: "ADMINISTRATOR"))
    #expect(people(changed) == ["_bob ADMINISTRATOR ACCEPTED READ_WRITE"], "\(changed)")
    #expect(changed["participants"][1]["participantId"].text == entry)
    // In either order.
    let again = try await setting(
      ada, person("_bob"), known.replacing("READ_ONLY", with: "READ_WRITE"))
    #expect(people(again) == ["_bob ADMINISTRATOR ACCEPTED READ_ONLY"], "\(again)")
    // A list may have each of the share's own identifiers once.
    #expect(try await setting(ada, known, known)["serverErrorCode"].text == "BAD_REQUEST")
  }

  @Test func `A participant who is repeated and then named stays one`() async throws {
    let (ada, short) = try await share(person("_bob"))
    let bob = try await user("_bob")
    #expect(try await accept(bob, short) == "ACCEPTED")
    // The user of the address is not known yet.
    let entry = try #require(try await seen(by: ada)["participants"][1]["participantId"].text)
    let invited = try await setting(ada, person("_bob", as: entry), person(at: "bob@home.example"))
    #expect(people(invited).count == 2, "\(invited)")
    let second = try #require(invited["participants"][2]["participantId"].text)
    let named = try await setting(
      ada, person("_bob", as: entry),
      person("_bob", at: "bob@home.example", "READ_WRITE", as: second))
    #expect(people(named) == ["_bob USER ACCEPTED READ_WRITE"], "\(named)")
    #expect(named["participants"][1]["participantId"].text == entry)
  }

  @Test func `A repeated participant stays one`() async throws {
    let (ada, short) = try await share(person("_bob"))
    let bob = try await user("_bob", "bob@example.com", "bob@home.example")
    #expect(try await accept(bob, short) == "ACCEPTED")
    let entry = try #require(try await seen(by: ada)["participants"][1]["participantId"].text)
    let known = person("_bob", as: entry)
    let invited = try await setting(ada, known, person(at: "Bob@home.example", "READ_WRITE"))
    #expect(people(invited) == ["_bob USER ACCEPTED READ_WRITE"], "\(invited)")
    #expect(invited["participants"][1]["participantId"].text == entry)
    // A user whom the owner removes then cannot return.
    #expect(people(try await setting(ada)).isEmpty)
    #expect(try await accept(bob, short) == "NOT_FOUND")
  }

  @Test func `A participant repeated by a newer address stays one, with its permission`()
    async throws
  {
    let (ada, short) = try await share(person("_bob", "READ_WRITE"))
    #expect(try await accept(try await user("_bob"), short) == "ACCEPTED")
    let entry = try #require(try await seen(by: ada)["participants"][1]["participantId"].text)
    let invited = try await setting(
      ada, person("_bob", "READ_WRITE", as: entry), person(at: "bob@home.example"))
    let second = try #require(invited["participants"][2]["participantId"].text)
    _ = try await user("_bob", "bob@home.example")
    // The invitation is sent back unchanged, so only the participant's own entry counts.
    let changed = try await setting(
      ada, person("_bob", "READ_WRITE", as: entry), person(at: "bob@home.example", as: second))
    #expect(people(changed) == ["_bob USER ACCEPTED READ_WRITE"], "\(changed)")
  }

  @Test func `An address of no participant is an invitation, whichever user has it`() async throws {
    let (ada, short) = try await share(person("_bob"))
    let bob = try await user("_bob", "bob@example.com")
    _ = try await user("_carol", "carol@example.com")
    #expect(try await accept(bob, short) == "ACCEPTED")
    let entry = try #require(try await seen(by: ada)["participants"][1]["participantId"].text)
    let invited = try await setting(
      ada, person("_bob", as: entry), person(at: "carol@example.com"),
      person(at: "unknown@example.com"))
    #expect(
      people(invited) == [
        "_bob USER ACCEPTED READ_ONLY", "carol@example.com USER INVITED READ_ONLY",
        "unknown@example.com USER INVITED READ_ONLY",
      ])
  }

  @Test func `An address reveals its user only to managers`() async throws {
    let (_, short) = try await share(person("_bob"), person("_eve", "READ_WRITE"))
    let (bob, eve) = (try await user("_bob", "bob@example.com"), try await user("_eve"))
    for one in [bob, eve] { #expect(try await accept(one, short) == "ACCEPTED") }
    // The list exceeds the limit by one, unless its last two entries mean the same user.
    func ask(_ address: String) async throws -> String? {
      let filling =
        (0..<98).map { person(at: "n\($0)@example.com") } + [person("_bob"), person(at: address)]
      return try await eve.modify(
        in: .shared, zone: "Z", owner: "_ada",
        (
          "forceUpdate",
          #""recordName":"cloudkit.zoneshare","participants":[\#(filling.joined(separator: ","))]"#
        ))["records"][0]["reason"].text
    }
    let (known, unknown) = (try await ask("bob@example.com"), try await ask("unknown@example.com"))
    #expect(known != nil && known == unknown)
  }

  // MARK: Addresses of another user

  @Test func `The user of a former participant's address is invited by name and address`()
    async throws
  {
    let (ada, short) = try await share(person(at: "bob@example.com"))
    let bob = try await user("_bob", "bob@example.com")
    #expect(try await accept(bob, short) == "ACCEPTED")
    let entry = try #require(try await seen(by: ada)["participants"][1]["participantId"].text)
    _ = try await user("_bob")
    let carol = try await user("_carol", "bob@example.com")
    let invited = try await setting(
      ada, person("_bob", at: "bob@example.com", as: entry),
      person("_carol", at: "bob@example.com", "READ_WRITE"))
    #expect(
      people(invited) == ["_bob USER ACCEPTED READ_ONLY", "_carol USER INVITED READ_WRITE"],
      "\(invited)")
    #expect(try await accept(carol, short) == "ACCEPTED")
    #expect(
      people(try await seen(by: ada)) == [
        "_bob USER ACCEPTED READ_ONLY", "_carol USER ACCEPTED READ_WRITE",
      ])
  }

  // MARK: Blocks

  @Test(arguments: [false, true]) func `A participant whose address is blocked is removed`(
    _ isOpen: Bool
  )
    async throws
  {
    let (ada, short) = try await share(person("_bob"), person("_carol"))
    let (bob, carol) = (
      try await user("_bob", "bob@example.com", "bob@home.example"),
      try await user("_carol", "carol@example.com")
    )
    if isOpen { _ = try await change(ada, #""publicPermission":"READ_ONLY""#) }
    for one in [bob, carol] { #expect(try await accept(one, short) == "ACCEPTED") }
    #expect(people(try await seen(by: ada)).count == 2)
    _ = cloud.notices.take()
    let blocked = try await change(
      ada, #""blocked":[{"userIdentity":{"lookupInfo":{"emailAddress":"BOB@home.example"}}}]"#)
    #expect(people(blocked).map { $0.prefix(6) } == ["_carol"], "\(blocked)")
    #expect(cloud.notices.take().map(\.removedParticipants) == [["_bob"]])
    #expect(try await bob.ask(.shared, .zonesList)["zones"].list.isEmpty)
    // The user is blocked, and stays blocked after losing the address.
    _ = try await user("_bob", "bob@example.com")
    #expect(try await accept(bob, short) == "NOT_FOUND")
    // Unblocking the address unblocks the user.
    #expect(blocked["blocked"].list.count == 1)
    _ = try await change(ada, #""blocked":[]"#)
    #expect(try await accept(bob, short) == (isOpen ? "ACCEPTED" : "NOT_FOUND"))
  }

  @Test func `Blocking an unknown or another user's address changes no participant`() async throws {
    let (ada, short) = try await share(person("_bob"))
    let bob = try await user("_bob", "bob@example.com")
    _ = try await user("_carol", "carol@example.com")
    #expect(try await accept(bob, short) == "ACCEPTED")
    for address in ["unknown@example.com", "carol@example.com"] {
      let blocked = try await change(
        ada, #""blocked":[{"userIdentity":{"lookupInfo":{"emailAddress":"\#(address)"}}}]"#)
      #expect(people(blocked) == ["_bob USER ACCEPTED READ_ONLY"])
      #expect(!blocked["blocked"][0]["userIdentity"]["userRecordName"].isThere, "\(blocked)")
    }
  }

  @Test func `A blocked user who is invited stays when the block is repeated`() async throws {
    let (ada, short) = try await share()
    let bob = try await user("_bob", "bob@example.com")
    let block = #""blocked":[{"userIdentity":{"lookupInfo":{"emailAddress":"bob@example.com"}}}]"#
    _ = try await change(ada, block)
    #expect(try await accept(bob, short) == "NOT_FOUND")
    _ = try await setting(ada, person("_bob", at: "bob@example.com"))
    #expect(try await accept(bob, short) == "ACCEPTED")
    let again = try await change(ada, block)
    #expect(people(again) == ["_bob USER ACCEPTED READ_ONLY"], "\(again)")
  }

  @Test func `A requester is blocked by any own address and cannot ask again`() async throws {
    let (ada, short) = try await share()
    _ = try await change(ada, #""denyAccessRequests":false"#)
    let (bob, carol) = (
      try await user("_bob", "bob@example.com", "bob@home.example"),
      try await user("_carol", "carol@example.com")
    )
    func ask(_ client: Client) async throws -> String? {
      let body = #"{"shortGUIDs":[{"value":"\#(short)"}]}"#
      return try await client.ask(.public, .recordsRequestAccess, body)["results"][0][
        "serverErrorCode"
      ].text
    }
    for one in [bob, carol] { #expect(try await ask(one) == nil) }
    let blocked = try await change(
      ada, #""blocked":[{"userIdentity":{"lookupInfo":{"emailAddress":"bob@home.example"}}}]"#)
    let requesters = blocked["requesters"].list.map { $0["userIdentity"]["userRecordName"].text }
    #expect(requesters == ["_carol"], "\(blocked)")
    // The user is blocked, and stays blocked after losing the address.
    _ = try await user("_bob", "bob@example.com")
    #expect(try await ask(bob) == "NOT_FOUND")
    _ = try await change(ada, #""blocked":[]"#)
    #expect(try await ask(bob) == nil)
  }

  @Test func `A user invited by name gets the address named later`() async throws {
    let (ada, _) = try await share(person("_bob"))
    let named = try await setting(ada, person("_bob", at: "bob@example.com", "READ_WRITE"))
    let guest = named["participants"][1]
    #expect(guest["userIdentity"]["userRecordName"].text == "_bob")
    #expect(
      guest["userIdentity"]["lookupInfo"]["emailAddress"].text == "bob@example.com", "\(named)")
    // An existing address stays.
    let again = try await setting(ada, person("_bob", at: "other@example.com"))
    #expect(
      again["participants"][1]["userIdentity"]["lookupInfo"]["emailAddress"].text
        == "bob@example.com")
  }

  @Test func `A user invited by name does not get another invitation's address`() async throws {
    let (ada, _) = try await share(person("_bob"), person(at: "bob@example.com"))
    let shown = try await change(ada, #""fields":{}"#)
    let names = shown["participants"].list.map { $0["participantId"].text ?? "" }
    try #require(names.count == 3, "\(shown)")
    let refused = try await setting(
      ada, person("_bob", at: "bob@example.com", as: names[1]),
      person(at: "bob@example.com", as: names[2]))
    #expect(refused["serverErrorCode"].text == "BAD_REQUEST", "\(refused)")
  }

  @Test(arguments: [nil, "_carol"] as [String?])
  func `A user invited by lookup stays invited, whatever name the entry has`(
    _ other: String?
  ) async throws {
    let (ada, short) = try await share(sought("_bob"))
    let (bob, carol) = (try await user("_bob"), try await user("_carol", "carol@example.com"))
    let entry = try #require(try await seen(by: ada)["participants"][1]["participantId"].text)
    let named = try await setting(ada, person(other, at: "carol@example.com", as: entry))
    #expect(people(named).count == 1, "\(named)")
    #expect(try await accept(carol, short) == "NOT_FOUND")
    #expect(try await accept(bob, short) == "ACCEPTED")
  }

  // MARK: Approvals

  /// Bob, who has requested access to Ada's share with these users, and the share's link.
  private func asked(besides people: String...) async throws -> (
    ada: Client, bob: Client, short: String
  ) {
    let (ada, short) = try await share()
    _ = try await change(
      ada, #""denyAccessRequests":false,"participants":[\#(people.joined(separator: ","))]"#)
    let bob = try await user("_bob", "bob@example.com")
    let reply = try await bob.ask(
      .public, .recordsRequestAccess, #"{"shortGUIDs":[{"value":"\#(short)"}]}"#)
    #expect(!reply["results"][0]["serverErrorCode"].isThere, "\(reply)")
    return (ada, bob, short)
  }

  /// The share's entries as the owner's device sends them.
  private func entries(of ada: Client) async throws -> [String] {
    try await seen(by: ada)["participants"].list.dropFirst().map { known in
      person(
        known["userIdentity"]["userRecordName"].text,
        at: known["userIdentity"]["lookupInfo"]["emailAddress"].text,
        as: known["participantId"].text)
    }
  }

  @Test func `An entry with the requester's name approves the request`() async throws {
    let (ada, bob, short) = try await asked(besides: person(at: "bob@home.example"))
    let approved = try await setting(ada, person("_bob", at: "bob@home.example"))
    #expect(
      approved["requesters"].list.isEmpty && people(approved).contains { $0.hasPrefix("_bob ") },
      "\(approved)")
    #expect(try await accept(bob, short) == "ACCEPTED")
  }

  @Test func `An entry with the requester's address approves the request`() async throws {
    let (ada, bob, short) = try await asked(besides: person(at: "bob@home.example"))
    let approved = try await setting(
      ada, (try await entries(of: ada) + [person(at: "bob@example.com")]).joined(separator: ","))
    #expect(
      approved["requesters"].list.isEmpty && people(approved).contains { $0.hasPrefix("_bob ") },
      "\(approved)")
    let reply = try await bob.ask(
      .public, .recordsAccept, #"{"shortGUIDs":[{"value":"\#(short)"}]}"#)
    #expect(reply["results"][0]["participantStatus"].text == "ACCEPTED", "\(reply)")
  }

  @Test func `A request is approved although the address had another user`() async throws {
    let (ada, short) = try await share(person(at: "bob@example.com"))
    let dan = try await user("_dan", "bob@example.com")
    #expect(try await accept(dan, short) == "ACCEPTED")
    _ = try await user("_dan")
    _ = try await change(ada, #""denyAccessRequests":false"#)
    let bob = try await user("_bob", "bob@example.com")
    _ = try await bob.ask(
      .public, .recordsRequestAccess, #"{"shortGUIDs":[{"value":"\#(short)"}]}"#)
    let approved = try await setting(
      ada,
      (try await entries(of: ada) + [person("_bob", at: "bob@example.com")]).joined(separator: ","))
    #expect(people(approved).map { $0.prefix(4) } == ["_dan", "_bob"], "\(approved)")
  }

  @Test func `Naming a requester twice at once is rejected`() async throws {
    let (ada, _, _) = try await asked()
    let refused = try await setting(ada, person("_bob"), person(at: "bob@example.com"))
    #expect(refused["serverErrorCode"].text == "BAD_REQUEST", "\(refused)")
    #expect(try await seen(by: ada)["requesters"].list.count == 1)
  }
}
