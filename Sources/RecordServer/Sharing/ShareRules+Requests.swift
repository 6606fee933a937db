package import CloudRecords
import CloudWire

extension ShareRules {
  /// The share after a visitor has requested access.
  ///
  /// A repeated request changes nothing, and neither does the request of a visitor who has access
  /// or may join. An invited visitor gets an error, and should accept the invitation instead.
  ///
  /// - Parameter hiding: The error for a missing share, for visitors who may not know that it
  ///   exists.
  package static func requestAccess(
    _ share: ShareDetails, by visitor: ShareVisitor, limits: ServiceLimits,
    hiding: @autoclosure () -> CloudError
  ) throws(CloudError) -> ShareDetails {
    switch invitation(of: visitor, to: share) {
    case .unknown: break
    case .concealed: throw hiding()
    case .participant(let known) where known.acceptance == .invited:
      throw CloudError(
        .badRequest, "You are invited to this share already. Accept the invitation.",
        extension: .participantAlreadyInvited)
    case .owner, .participant, .open: return share
    }
    let identity = visitor.identity
    guard !share.requests.requesters.contains(where: { $0.isSamePerson(as: identity) }) else {
      return share
    }
    guard share.requests.requesters.count < limits.participantsPerShare else {
      throw CloudError(
        .badRequest,
        "\(limits.participantsPerShare) people have asked for access and were not answered yet.",
        extension: .tooManyParticipants)
    }
    var changed = share
    changed.requests.requesters.append(identity)
    return changed
  }
}

extension ShareDetails {
  /// Whether a visitor is blocked, regardless of invitations.
  func isBlocked(_ visitor: ShareVisitor) -> Bool { requests.blocked.contains { $0.isOf(visitor) } }

  /// Whether an invitation is valid for a visitor.
  ///
  /// An owner who blocks a person may not know that an invited address belongs to that person. So
  /// an invitation overrides a block only if both name the same identity.
  func admits(_ visitor: ShareVisitor, in invited: UserIdentity) -> Bool {
    requests.blocked.allSatisfy { !$0.isOf(visitor) || $0.isSamePerson(as: invited) }
  }
}

extension ShareVisitor {
  /// The visitor's identity for the owner: the name, and a verified address if there is one.
  var identity: UserIdentity {
    let addresses = provenAddresses.sorted { "\($0)" < "\($1)" }
    return UserIdentity(
      userRecordName: userRecordName, nameComponents: nameComponents,
      lookupInfo: addresses.first ?? .userRecordName(userRecordName))
  }
}

extension ShareDetails {
  /// Approves, denies and blocks requesters.
  ///
  /// A requester who was invited afterwards is approved. A blocked user is removed from the
  /// participants.
  mutating func answerRequests(
    _ input: ShareRequestsInput, people: [ShareVisitor], _ limits: ServiceLimits
  ) throws(CloudError) {
    if let areAllowed = input.areAllowed { requests.areAllowed = areAllowed }
    requests.requesters.removeAll { requester in
      input.denied.contains { $0.isSamePerson(as: requester) }
    }
    if let blocked = input.blocked { try block(blocked, people, limits) }
    for index in participants.indices where participants[index].acceptance != .removed {
      approve(index)
    }
  }

  /// Approves a participant's access request, if there is one.
  ///
  /// The server's identity of the requester replaces that of the participant.
  private mutating func approve(_ index: Int) {
    let participant = participants[index]
    guard participant.role != .owner,
      let place = requests.requesters.firstIndex(where: {
        $0.isSamePerson(as: participant.identity)
      })
    else { return }
    participants[index].identity = requests.requesters.remove(at: place)
    participants[index].isApprovedRequester = true
  }

  /// Blocks users, with the server's identity if it is known.
  ///
  /// An address of a participant or requester blocks that person.
  private mutating func block(
    _ blocked: [UserIdentity], _ people: [ShareVisitor], _ limits: ServiceLimits
  ) throws(CloudError) {
    guard blocked.count <= limits.participantsPerShare else {
      throw CloudError(
        .badRequest,
        "\(limits.participantsPerShare) people can be blocked, and not \(blocked.count).",
        extension: .tooManyParticipants)
    }
    let owner = participants.first { $0.role == .owner }?.identity
    let former = requests.blocked
    let known = requests.requesters + participants.map(\.identity)
    requests.blocked = try blocked.map { person throws(CloudError) in
      guard owner.map({ !person.isSamePerson(as: $0) }) ?? true else {
        throw CloudError(.badRequest, "The owner of a share cannot be blocked.")
      }
      return former.first { $0.isSamePerson(as: person) } ?? participant(at: person, among: people)?
        .identity.named(
          person)
        ?? requester(at: person, among: people)?.named(person) ?? known.first {
          $0.isSamePerson(as: person)
        } ?? person
    }
    // A user who was blocked and invited afterwards stays.
    let added = requests.blocked.filter { person in !former.contains { $0.isSamePerson(as: person) }
    }
    requests.requesters.removeAll { requester in added.contains { $0.isSamePerson(as: requester) } }
    participants.removeAll { participant in
      added.contains { $0.isSamePerson(as: participant.identity) }
    }
  }
}

extension UserIdentity {
  /// The identity with a person's address as its lookup information.
  fileprivate func named(_ person: UserIdentity) -> UserIdentity {
    UserIdentity(
      userRecordName: userRecordName, nameComponents: nameComponents, lookupInfo: person.lookupInfo)
  }
}
