import CloudRecords
import RecordServer
import Testing

/// Names for participants, in order.
private final class Names {
  private var last = 0
  func next() -> String {
    last += 1
    return "p\(last)"
  }
}

@Suite struct `Shares change by rules` {
  private let names = Names()
  private let limits = ServiceLimits()
  private let owner = UserIdentity(userRecordName: "_owner", lookupInfo: .emailAddress("owner@example.com"))

  private func share(_ participants: [ShareRules.ProposedParticipant] = [], open: ShareParticipant.Permission = .none)
    throws -> ShareDetails
  {
    let closed = try ShareRules.create(
      owner: owner, rootName: nil, proposal: .init(participants: participants), limits: limits,
      makeIdentifier: names.next)
    return open == .none ? closed : try change(closed, .init(publicPermission: open))
  }

  private func change(_ share: ShareDetails, _ proposal: ShareRules.Proposal) throws -> ShareDetails {
    try ShareRules.change(share, proposal, limits: limits, makeIdentifier: names.next)
  }

  private func asked(_ address: String, _ permission: ShareParticipant.Permission? = nil)
    -> ShareRules.ProposedParticipant
  {
    .init(identity: UserIdentity(lookupInfo: .emailAddress(address)), permission: permission)
  }

  private func visitor(_ name: String, _ addresses: String...) -> Visitor {
    Visitor(userRecordName: name, provenAddresses: Set(addresses.map { .emailAddress($0) }))
  }

  private func accept(_ share: ShareDetails, _ visitor: Visitor) throws -> ShareDetails {
    try ShareRules.accept(share, by: visitor, limits: limits, makeIdentifier: names.next)
  }

  /// A share in short: `open? | role:state:permission …`.
  private func text(_ share: ShareDetails) -> String {
    let people = share.participants.map { person in
      "\(person.identifier)/\(person.identity.userRecordName ?? "-") \(person.role.name) \(person.acceptance.name) \(person.permission.name)"
    }
    return ([share.publicPermission.name] + people).joined(separator: "; ")
  }

  @Test func `a new share has its owner, and whom the client names`() throws {
    let made = try share([asked("a@example.com"), asked("b@example.com", .readWrite)])
    #expect(
      text(made)
        == "NONE; p1/_owner OWNER ACCEPTED READ_WRITE; p2/- USER INVITED READ_ONLY; p3/- USER INVITED READ_WRITE")
  }

  @Test func `who accepts becomes known, once`() throws {
    var changed = try accept(try share([asked("a@example.com")]), visitor("_a", "a@example.com"))
    #expect(text(changed) == "NONE; p1/_owner OWNER ACCEPTED READ_WRITE; p2/_a USER ACCEPTED READ_ONLY")
    let again = try accept(changed, visitor("_a", "a@example.com"))
    #expect(again == changed)
    // The address belongs to the one who used it: another with the same address is nobody.
    #expect(throws: CloudError.self) { try accept(changed, visitor("_other", "a@example.com")) }
    changed = ShareRules.leave(changed, userRecordName: "_a")
    #expect(text(changed) == "NONE; p1/_owner OWNER ACCEPTED READ_WRITE")
  }

  @Test func `who was not asked is refused, and told whether somebody else might have been meant`() throws {
    let made = try share([asked("a@example.com")])
    #expect {
      try accept(made, visitor("_b", "b@example.com"))
    } throws: {
      ($0 as? CloudError)?.code == .accessDenied && ($0 as? CloudError)?.extension == .participantMayNeedVerification
    }
    #expect {
      try accept(try share(), visitor("_b"))
    } throws: { ($0 as? CloudError)?.extension == nil }
    #expect(
      ShareRules.invitation(of: visitor("_b"), to: made)
        == .unknown(potentialMatches: [made.participants[1]]))
  }

  @Test func `the owner is the owner`() throws {
    let made = try share()
    #expect(ShareRules.invitation(of: visitor("_owner"), to: made) == .owner)
    #expect(try accept(made, visitor("_owner")) == made)
    #expect(ShareRules.leave(made, userRecordName: "_owner") == made)
    #expect(ShareRules.standing(of: "_owner", in: made) == .participant(.owner, .readWrite))
  }

  @Test func `opening a share takes back what nobody has answered, and closing it sends public users away`() throws {
    var changed = try share([asked("a@example.com"), asked("b@example.com")])
    changed = try accept(changed, visitor("_a", "a@example.com"))
    changed = try change(changed, .init(publicPermission: .readOnly))
    #expect(text(changed) == "READ_ONLY; p1/_owner OWNER ACCEPTED READ_WRITE; p2/_a USER ACCEPTED READ_ONLY")
    changed = try accept(changed, visitor("_c"))
    #expect(text(changed).hasSuffix("p4/_c PUBLIC_USER ACCEPTED READ_ONLY"))
    changed = try change(changed, .init(publicPermission: .readWrite))
    #expect(text(changed).hasSuffix("p4/_c PUBLIC_USER ACCEPTED READ_WRITE"))
    #expect(ShareRules.standing(of: "_c", in: changed) == .participant(.publicUser, .readWrite))
    changed = try change(changed, .init(publicPermission: ShareParticipant.Permission.none))
    #expect(text(changed) == "NONE; p1/_owner OWNER ACCEPTED READ_WRITE; p2/_a USER ACCEPTED READ_ONLY")
    #expect(ShareRules.standing(of: "_c", in: changed) == .outsider)
  }

  @Test func `while a share is open, nobody is invited or removed by name`() throws {
    let open = try accept(try share(open: .readOnly), visitor("_c"))
    #expect(throws: CloudError.self) { try change(open, .init(participants: [asked("x@example.com")])) }
    // Leaving public users out of the list removes nobody: they come and go by the link.
    let same = try change(open, .init(participants: [.init(identity: owner, role: .owner)]))
    #expect(same.participants.map(\.role) == [.owner])
    let both = try change(
      open, .init(publicPermission: ShareParticipant.Permission.none, participants: [asked("x@example.com")]))
    #expect(both.participants.map(\.role) == [.owner, .user])
  }

  @Test func `participants are changed and removed by the list`() throws {
    var changed = try share([asked("a@example.com"), asked("b@example.com")])
    changed = try accept(changed, visitor("_a", "a@example.com"))
    let list: [ShareRules.ProposedParticipant] = [
      .init(identity: owner, role: .owner, permission: .readOnly),
      .init(
        identifier: "p2", identity: UserIdentity(), role: .administrator, permission: .readWrite, acceptance: .invited),
    ]
    changed = try change(changed, .init(participants: list))
    #expect(text(changed) == "NONE; p1/_owner OWNER ACCEPTED READ_WRITE; p2/_a ADMINISTRATOR ACCEPTED READ_WRITE")
  }

  @Test func `what makes no sense is refused`() throws {
    let made = try share([asked("a@example.com")])
    let twice = [asked("a@example.com"), asked("a@example.com")]
    #expect(throws: CloudError.self) { try change(made, .init(participants: twice)) }
    let nobody = ShareRules.ProposedParticipant(identity: UserIdentity())
    #expect(throws: CloudError.self) { try change(made, .init(participants: [nobody])) }
    let visitor = ShareRules.ProposedParticipant(
      identity: UserIdentity(lookupInfo: .emailAddress("new@example.com")), role: .publicUser)
    #expect(throws: CloudError.self) { try change(made, .init(participants: [visitor])) }
    let usurper = ShareRules.ProposedParticipant(
      identifier: "p2", identity: UserIdentity(), role: .owner, permission: .readWrite)
    #expect(try change(made, .init(participants: [usurper])).participants.map(\.role) == [.owner, .user])
  }

  @Test func `a share has room for so many`() throws {
    var small = limits
    small.participantsPerShare = 2
    let made = try share([asked("a@example.com")])
    #expect {
      try ShareRules.change(
        made, .init(participants: [asked("a@example.com"), asked("b@example.com")]), limits: small,
        makeIdentifier: names.next)
    } throws: { ($0 as? CloudError)?.extension == .tooManyParticipants }
    let open = try change(made, .init(publicPermission: .readOnly))
    let full = try ShareRules.accept(open, by: visitor("_b"), limits: small, makeIdentifier: names.next)
    #expect {
      try ShareRules.accept(full, by: visitor("_c"), limits: small, makeIdentifier: names.next)
    } throws: { ($0 as? CloudError)?.extension == .tooManyParticipants }
  }

  @Test func `who manages a share sees everybody, others the owner and themselves`() throws {
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
