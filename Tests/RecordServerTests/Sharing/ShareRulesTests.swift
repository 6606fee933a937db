import CloudRecords
import CloudWire
import RecordServer
import Testing

/// Predictable names for participants, in order.
private final class Names {
  private var last = 0
  func next() -> String {
    last += 1
    return "p\(last)"
  }
}

@Suite struct `Rules for changing shares` {
  private let names = Names()
  private let limits = ServiceLimits()
  private let owner = UserIdentity(
    userRecordName: "_owner", lookupInfo: .emailAddress("owner@example.com"))

  private func share(
    _ participants: [ShareRules.ProposedParticipant] = [], open: ShareParticipant.Permission = .none
  )
    throws -> ShareDetails
  {
    let closed = try ShareRules.create(
      owner: owner, rootName: nil, proposal: .init(participants: participants), limits: limits,
      makeIdentifier: names.next)
    return open == .none ? closed : try change(closed, .init(publicPermission: open))
  }

  private func change(_ share: ShareDetails, _ proposal: ShareRules.Proposal) throws -> ShareDetails
  {
    try ShareRules.change(share, proposal, limits: limits, makeIdentifier: names.next)
  }

  private func asked(_ address: String, _ permission: ShareParticipant.Permission? = nil)
    -> ShareRules.ProposedParticipant
  {
    .init(identity: UserIdentity(lookupInfo: .emailAddress(address)), permission: permission)
  }

  private func visitor(_ name: String, _ addresses: String...) -> ShareVisitor {
    ShareVisitor(userRecordName: name, provenAddresses: Set(addresses.map { .emailAddress($0) }))
  }

  private func accept(_ share: ShareDetails, _ visitor: ShareVisitor) throws -> ShareDetails {
    try ShareRules.accept(share, by: visitor, limits: limits, makeIdentifier: names.next)
  }

  /// A share in short: `open? | role:state:permission …`.
  private func text(_ share: ShareDetails) -> String {
    let people = share.participants.map { person in
      "\(person.identifier)/\(person.identity.userRecordName ?? "-") \(person.role.name) \(person.acceptance.name) \(person.permission.name)"
    }
    return ([share.publicPermission.name] + people).joined(separator: "; ")
  }

  @Test func `A new share has its owner and the users that the client names`() throws {
    let created = try share([asked("a@example.com"), asked("b@example.com", .readWrite)])
    #expect(
      text(created)
        == "NONE; p1/_owner OWNER ACCEPTED READ_WRITE; p2/- USER INVITED READ_ONLY; p3/- USER INVITED READ_WRITE"
    )
  }

  @Test func `Accepting identifies the participant once`() throws {
    var changed = try accept(try share([asked("a@example.com")]), visitor("_a", "a@example.com"))
    #expect(
      text(changed) == "NONE; p1/_owner OWNER ACCEPTED READ_WRITE; p2/_a USER ACCEPTED READ_ONLY")
    let again = try accept(changed, visitor("_a", "a@example.com"))
    #expect(again == changed)
    // The address belongs to the user who used it, so another user with it is not invited.
    #expect(throws: CloudError.self) { try accept(changed, visitor("_other", "a@example.com")) }
    changed = ShareRules.leave(changed, userRecordName: "_a")
    #expect(text(changed) == "NONE; p1/_owner OWNER ACCEPTED READ_WRITE")
  }

  @Test func `A user without an invitation is rejected and learns if another address could match`()
    throws
  {
    let created = try asking(try share([asked("a@example.com")]))
    #expect {
      try accept(created, visitor("_b", "b@example.com"))
    } throws: {
      ($0 as? CloudError)?.code == .accessDenied
        && ($0 as? CloudError)?.extension == .participantMayNeedVerification
    }
    #expect {
      try accept(try asking(try share()), visitor("_b"))
    } throws: {
      ($0 as? CloudError)?.code == .accessDenied && ($0 as? CloudError)?.extension == nil
    }
    #expect(
      ShareRules.invitation(of: visitor("_b"), to: created)
        == .unknown(potentialMatches: [created.participants[1]]))
  }

  @Test func `Without access requests a share does not exist for users without an invitation`()
    throws
  {
    let created = try share([asked("a@example.com")])
    #expect(ShareRules.invitation(of: visitor("_b"), to: created) == .concealed)
    #expect {
      try accept(created, visitor("_b"))
    } throws: { ($0 as? CloudError)?.code == .notFound }
    #expect(
      ShareRules.invitation(of: visitor("_a", "a@example.com"), to: created)
        == .participant(created.participants[1]))
  }

  // MARK: Links for one person

  private static let link = ShareRules.ProposedParticipant(
    identifier: "MINE-1", identity: UserIdentity(), permission: .readWrite)

  private func oneTime(_ identifier: String? = "MINE-1") -> ShareRules.ProposedParticipant {
    var proposed = Self.link
    (proposed.identifier, proposed.isOneTime) = (identifier, true)
    return proposed
  }

  private func follower(_ name: String, _ link: String?, _ addresses: String...) -> ShareVisitor {
    ShareVisitor(
      userRecordName: name, provenAddresses: Set(addresses.map { .emailAddress($0) }),
      oneTimeName: link)
  }

  @Test func `The first user of a participant's own link becomes the participant`() throws {
    let created = try share([oneTime(), oneTime("MINE-2")])
    let seats = created.participants.dropFirst()
    #expect(seats.map(\.identifier) == ["MINE-1", "MINE-2"])
    let link = try #require(created.participants[1].oneTimeName)
    #expect(Set(seats.map(\.oneTimeName)).count == 2 && !seats.contains { $0.oneTimeName == nil })
    // The share's own link does not lead to the participant.
    #expect(ShareRules.invitation(of: visitor("_a"), to: created) == .concealed)
    let claimed = try accept(created, follower("_a", link, "a@example.com"))
    #expect(
      text(claimed)
        == "NONE; p1/_owner OWNER ACCEPTED READ_WRITE; MINE-1/_a USER ACCEPTED READ_WRITE; "
        + "MINE-2/- USER INVITED READ_WRITE"
    )
    #expect(claimed.participants[1].identity.lookupInfo == .emailAddress("a@example.com"))
    #expect(try accept(claimed, follower("_a", link)) == claimed)
    #expect(ShareRules.invitation(of: follower("_b", link), to: claimed) == .concealed)
  }

  @Test func `Two links with one identifier are rejected`() throws {
    #expect {
      try share([oneTime(), oneTime()])
    } throws: {
      ($0 as? CloudError)?.code == .badRequest
    }
  }

  @Test func `A participant does not claim another participant's link`() throws {
    let created = try accept(try share([named("_a"), oneTime()]), visitor("_a"))
    let link = created.participants[2].oneTimeName
    #expect(try accept(created, follower("_a", link)) == created)
    #expect(try accept(created, follower("_owner", link)) == created)
    #expect(try accept(created, follower("_b", link)).participants[2].acceptance == .accepted)
  }

  @Test func `A blocked user cannot use a participant's own link`() throws {
    let created = try blocking(try share([oneTime()]), UserIdentity(userRecordName: "_a"))
    let link = created.participants[1].oneTimeName
    #expect(ShareRules.invitation(of: follower("_a", link), to: created) == .concealed)
  }

  @Test(arguments: [nil, "", "a b", "\r\nx", String(repeating: "a", count: 65)])
  func `An invalid identifier is replaced`(_ identifier: String?) throws {
    #expect(try share([oneTime(identifier)]).participants[1].identifier == "p2")
  }

  @Test func `Own links are shown to managers only`() throws {
    var changed = try accept(try share([named("_a"), oneTime()]), visitor("_a"))
    changed = try accept(changed, follower("_b", changed.participants[2].oneTimeName))
    func links(_ name: String) -> [String?] {
      ShareRules.participants(of: changed, shownTo: name).map(\.oneTimeName)
    }
    #expect(links("_owner") == [nil, nil, changed.participants[2].oneTimeName])
    #expect(links("_b") == [nil, nil])
  }

  @Test func `The time of an addition is kept`() throws {
    var first = try share([named("_a")])
    ShareRules.recordAdditions(in: &first, since: nil, at: Timestamp(milliseconds: 1))
    var second = try change(first, .init(participants: [named("_a"), named("_b")]))
    ShareRules.recordAdditions(in: &second, since: first, at: Timestamp(milliseconds: 2))
    #expect(second.participants.map(\.added?.milliseconds) == [1, 1, 2])
  }

  /// The share when its link may be used to request access.
  private func asking(_ share: ShareDetails) throws -> ShareDetails {
    var input = ShareRequestsInput()
    input.areAllowed = true
    return try change(share, .init(requests: input))
  }

  @Test func `The owner stays the owner`() throws {
    let created = try share()
    #expect(ShareRules.invitation(of: visitor("_owner"), to: created) == .owner)
    #expect(try accept(created, visitor("_owner")) == created)
    #expect(ShareRules.leave(created, userRecordName: "_owner") == created)
    #expect(ShareRules.standing(of: "_owner", in: created) == .participant(.owner, .readWrite))
  }

  @Test
  func `Opening a share withdraws open invitations, and closing it removes all who are not listed`()
    throws
  {
    var changed = try share([asked("a@example.com"), asked("b@example.com")])
    changed = try accept(changed, visitor("_a", "a@example.com"))
    changed = try change(changed, .init(publicPermission: .readOnly))
    #expect(
      text(changed)
        == "READ_ONLY; p1/_owner OWNER ACCEPTED READ_WRITE; p2/_a USER ACCEPTED READ_ONLY")
    changed = try accept(changed, visitor("_c"))
    #expect(text(changed).hasSuffix("p4/_c PUBLIC_USER ACCEPTED READ_ONLY"))
    changed = try change(changed, .init(publicPermission: .readWrite))
    #expect(text(changed).hasSuffix("p4/_c PUBLIC_USER ACCEPTED READ_WRITE"))
    #expect(ShareRules.standing(of: "_c", in: changed) == .participant(.publicUser, .readWrite))
    let closing = ShareParticipant.Permission.none
    let all = try change(
      changed,
      .init(
        publicPermission: closing,
        participants: [named("_a", as: "p2"), named("_c", as: "p4"), asked("d@example.com")]))
    #expect(
      text(all)
        == "NONE; p1/_owner OWNER ACCEPTED READ_WRITE; p2/_a USER ACCEPTED READ_ONLY; "
        + "p5/- USER INVITED READ_ONLY"
    )
    changed = try change(changed, .init(publicPermission: closing))
    #expect(text(changed) == "NONE; p1/_owner OWNER ACCEPTED READ_WRITE")
    #expect(ShareRules.standing(of: "_c", in: changed) == .outsider)
  }

  @Test func `Case 27: An open share allows no invitation or removal by name`() throws {
    let open = try accept(try share(open: .readOnly), visitor("_c"))
    #expect(throws: CloudError.self) {
      try change(open, .init(participants: [asked("x@example.com")]))
    }
    // Leaving public users out of the list removes none of them: they join and leave by the link.
    let same = try change(open, .init(participants: [.init(identity: owner, role: .owner)]))
    #expect(same.participants.map(\.role) == [.owner])
    let both = try change(
      open,
      .init(
        publicPermission: ShareParticipant.Permission.none, participants: [asked("x@example.com")]))
    #expect(both.participants.map(\.role) == [.owner, .user])
  }

  @Test func `Participants are changed and removed through the list`() throws {
    var changed = try share([asked("a@example.com"), asked("b@example.com")])
    changed = try accept(changed, visitor("_a", "a@example.com"))
    let list: [ShareRules.ProposedParticipant] = [
      .init(identity: owner, role: .owner, permission: .readOnly),
      .init(
        identifier: "p2", identity: UserIdentity(), role: .administrator, permission: .readWrite,
        acceptance: .invited),
    ]
    changed = try change(changed, .init(participants: list))
    #expect(
      text(changed)
        == "NONE; p1/_owner OWNER ACCEPTED READ_WRITE; p2/_a ADMINISTRATOR ACCEPTED READ_WRITE")
  }

  @Test func `Invalid changes are rejected`() throws {
    let created = try share([asked("a@example.com")])
    let twice = [asked("a@example.com"), asked("a@example.com")]
    #expect(throws: CloudError.self) { try change(created, .init(participants: twice)) }
    let unidentified = ShareRules.ProposedParticipant(identity: UserIdentity())
    #expect(throws: CloudError.self) { try change(created, .init(participants: [unidentified])) }
    let visitor = ShareRules.ProposedParticipant(
      identity: UserIdentity(lookupInfo: .emailAddress("new@example.com")), role: .publicUser)
    #expect(throws: CloudError.self) { try change(created, .init(participants: [visitor])) }
    let usurper = ShareRules.ProposedParticipant(
      identifier: "p2", identity: UserIdentity(), role: .owner, permission: .readWrite)
    #expect(
      try change(created, .init(participants: [usurper])).participants.map(\.role) == [
        .owner, .user,
      ])
  }

  // MARK: One entry for each user

  private func named(
    _ name: String, _ permission: ShareParticipant.Permission? = nil, as identifier: String? = nil
  )
    -> ShareRules.ProposedParticipant
  {
    .init(
      identifier: identifier, identity: UserIdentity(userRecordName: name), permission: permission)
  }

  /// A user who was looked up, and is known by name and address.
  private func found(_ name: String, _ address: String) -> ShareRules.ProposedParticipant {
    .init(identity: UserIdentity(userRecordName: name, lookupInfo: .emailAddress(address)))
  }

  /// A way to name one user twice.
  struct Pair: CustomTestStringConvertible {
    let first: UserIdentity
    let second: UserIdentity
    var testDescription: String { "\(first) and \(second)" }
  }

  static let pairs = [
    Pair(
      first: UserIdentity(lookupInfo: .emailAddress("a@example.com")),
      second: UserIdentity(lookupInfo: .emailAddress("A@example.com"))),
    Pair(
      first: UserIdentity(lookupInfo: .emailAddress("a@example.com")),
      second: UserIdentity(userRecordName: "_a", lookupInfo: .emailAddress("a@example.com"))),
    Pair(first: UserIdentity(userRecordName: "_a"), second: UserIdentity(userRecordName: "_a")),
    Pair(
      first: UserIdentity(userRecordName: "_a"),
      second: UserIdentity(lookupInfo: .userRecordName("_a"))),
    Pair(
      first: UserIdentity(lookupInfo: .phoneNumber("+1")),
      second: UserIdentity(lookupInfo: .phoneNumber("+1"))),
  ]

  @Test(arguments: pairs)
  func `No user is invited twice`(_ pair: Pair) throws {
    func entry(_ identity: UserIdentity, as identifier: String? = nil)
      -> ShareRules.ProposedParticipant
    {
      .init(identifier: identifier, identity: identity)
    }
    for (first, second) in [(pair.first, pair.second), (pair.second, pair.first)] {
      let names = Names()
      // Both in a new share.
      #expect {
        try ShareRules.create(
          owner: owner, rootName: nil,
          proposal: .init(participants: [entry(first), entry(second)]), limits: limits,
          makeIdentifier: names.next)
      } throws: { ($0 as? CloudError)?.code == .badRequest }
      // The second entry is added to the first.
      let created = try share([entry(first)])
      let known = created.participants[1].identifier
      #expect {
        try change(created, .init(participants: [entry(first, as: known), entry(second)]))
      } throws: { ($0 as? CloudError)?.code == .badRequest }
      // Alone, the second entry stands for the first.
      let same = try change(created, .init(participants: [entry(second)]))
      #expect(same.participants.map(\.identifier) == created.participants.map(\.identifier))
    }
  }

  @Test func `Users without a common identity are invited separately`() throws {
    let created = try share([asked("a@example.com"), named("_b"), found("_c", "c@example.com")])
    let changed = try change(
      created,
      .init(participants: [
        asked("a@example.com"), named("_b"), named("_c"), asked("d@example.com"),
      ]))
    #expect(changed.participants.count == 5)
  }

  @Test func `Accepting removes the participant's other entries`() throws {
    let created = try share([
      asked("a@example.com"), named("_a", .readWrite), asked("a@work.example"),
      asked("b@example.com"),
    ])
    var changed = try accept(created, visitor("_a", "a@example.com", "a@work.example"))
    #expect(
      text(changed)
        == "NONE; p1/_owner OWNER ACCEPTED READ_WRITE; p2/_a USER ACCEPTED READ_ONLY; p5/- USER INVITED READ_ONLY"
    )
    // If the user is removed then, no other entry lets the user return.
    changed = try change(changed, .init(participants: [named("_owner"), asked("b@example.com")]))
    #expect(throws: CloudError.self) {
      try accept(changed, visitor("_a", "a@example.com", "a@work.example"))
    }
  }

  @Test func `A participant who is invited again stays a participant`() throws {
    var changed = try accept(try share([named("_a", .readWrite)]), visitor("_a"))
    changed.participants.insert(
      ShareParticipant(
        identifier: "second", identity: UserIdentity(lookupInfo: .emailAddress("a@example.com")),
        role: .user,
        permission: .readOnly, acceptance: .invited), at: 1)
    let again = try accept(changed, visitor("_a", "a@example.com"))
    #expect(
      text(again) == "NONE; p1/_owner OWNER ACCEPTED READ_WRITE; p2/_a USER ACCEPTED READ_WRITE")
  }

  @Test func `A participant identifier of another version of the share removes no participant`()
    throws
  {
    var changed = try share([asked("a@example.com"), named("_b"), asked("c@example.com")])
    changed = try accept(changed, visitor("_a", "a@example.com"))
    let stale: [ShareRules.ProposedParticipant] = [
      .init(identifier: "old-1", identity: owner, role: .owner),
      .init(
        identifier: "old-2",
        identity: UserIdentity(userRecordName: "_a", lookupInfo: .emailAddress("a@example.com")),
        permission: .readWrite
      ),
      named("_b", as: "old-3"),
      .init(
        identifier: "old-4", identity: UserIdentity(lookupInfo: .emailAddress("c@example.com"))),
      named("_d", as: "old-5"),
    ]
    changed = try change(changed, .init(participants: stale))
    #expect(
      text(changed)
        == "NONE; p1/_owner OWNER ACCEPTED READ_WRITE; p2/_a USER ACCEPTED READ_WRITE; p3/_b USER INVITED READ_ONLY; p4/- USER INVITED READ_ONLY; p5/_d USER INVITED READ_ONLY"
    )
  }

  // MARK: Blocked users

  private func blocking(_ share: ShareDetails, _ identity: UserIdentity) throws -> ShareDetails {
    var input = ShareRequestsInput()
    input.blocked = share.requests.blocked + [identity]
    return try change(share, .init(requests: input))
  }

  private func isRefused(_ share: ShareDetails, _ visitor: ShareVisitor) -> Bool {
    do {
      _ = try accept(share, visitor)
      return false
    } catch {
      #expect((error as? CloudError)?.code == .notFound)
      return true
    }
  }

  @Test func `A blocked user cannot join by an earlier invitation to an address`() throws {
    let bob = visitor("_b", "b@example.com", "b@work.example")
    for address in ["b@example.com", "B@work.example"] {
      let invited = try share([asked(address), asked("c@example.com")])
      let blocked = try blocking(invited, UserIdentity(userRecordName: "_b"))
      #expect(blocked.participants.count == 3)
      #expect(isRefused(blocked, bob))
      // A blocked user learns nothing about the others.
      #expect(ShareRules.invitation(of: bob, to: blocked) == .concealed)
      #expect(!isRefused(blocked, visitor("_c", "c@example.com")))
    }
  }

  @Test func `A block by any proven address keeps its user away`() throws {
    let bob = visitor("_b", "a@example.com", "b@example.com")
    let blocked = try blocking(
      try share([named("_b")]), UserIdentity(lookupInfo: .emailAddress("B@example.com")))
    #expect(isRefused(blocked, bob))
    let open = try change(blocked, .init(publicPermission: .readOnly))
    #expect(isRefused(open, bob))
    #expect(!isRefused(open, visitor("_c", "c@example.com")))
  }

  @Test func `An invitation by the owner overrides a block`() throws {
    let bob = visitor("_b", "b@example.com")
    var changed = try blocking(try share(), UserIdentity(userRecordName: "_b"))
    #expect(isRefused(try change(changed, .init(participants: [asked("b@example.com")])), bob))
    changed = try change(changed, .init(participants: [named("_b")]))
    #expect(!isRefused(changed, bob))
    // Another matching block that does not name the invitation stays in force.
    let second = try blocking(changed, UserIdentity(lookupInfo: .emailAddress("b@example.com")))
    #expect(isRefused(second, bob))
    // A block with the name and the address does not stop the invitation.
    var both = changed
    both.requests.blocked = [
      UserIdentity(userRecordName: "_b", lookupInfo: .emailAddress("b@example.com"))
    ]
    #expect(!isRefused(both, bob))
  }

  @Test func `A participant who joins again is not removed`() throws {
    let bob = visitor("_b", "b@example.com")
    let joined = try accept(try share([named("_b")]), bob)
    let blocked = try blocking(joined, UserIdentity(lookupInfo: .emailAddress("b@example.com")))
    #expect(try accept(blocked, bob) == blocked)
  }

  @Test func `The number of participants is limited`() throws {
    var small = limits
    small.participantsPerShare = 2
    let created = try share([asked("a@example.com")])
    #expect {
      try ShareRules.change(
        created, .init(participants: [asked("a@example.com"), asked("b@example.com")]),
        limits: small,
        makeIdentifier: names.next)
    } throws: { ($0 as? CloudError)?.extension == .tooManyParticipants }
    let open = try change(created, .init(publicPermission: .readOnly))
    let full = try ShareRules.accept(
      open, by: visitor("_b"), limits: small, makeIdentifier: names.next)
    #expect {
      try ShareRules.accept(full, by: visitor("_c"), limits: small, makeIdentifier: names.next)
    } throws: { ($0 as? CloudError)?.extension == .tooManyParticipants }
  }

  @Test func `Managers see all participants, and others see the owner and themselves`() throws {
    var changed = try share([asked("a@example.com"), asked("b@example.com")])
    changed = try accept(changed, visitor("_a", "a@example.com"))
    func shown(_ name: String?) -> [String] {
      ShareRules.participants(of: changed, shownTo: name).map(\.identifier)
    }
    #expect(shown("_owner") == ["p1", "p2", "p3"])
    #expect(shown("_a") == ["p1", "p2"])
    #expect(shown("_stranger") == ["p1"])
    #expect(shown(nil) == ["p1"])
    #expect(ShareRules.participants(of: changed, shownTo: "_a")[0].identity.lookupInfo == nil)
    changed.participants[1].role = .administrator
    #expect(shown("_a") == ["p1", "p2", "p3"])
  }
}
