package import CloudRecords
import CloudWire

extension ShareRules {
  /// The share after a visitor has asked to be let in.
  ///
  /// Asking again changes nothing, nor does it where the visitor can come anyhow. Who was invited
  /// is told so: the invitation is to be accepted.
  ///
  /// - Parameter hiding: What is said where the share is not there: whoever may not ask does not
  ///   learn that it is.
  package static func requestAccess(
    _ share: ShareDetails, by visitor: ShareVisitor, limits: ServiceLimits,
    hiding: @autoclosure () -> CloudError
  ) throws(CloudError) -> ShareDetails {
    switch invitation(of: visitor, to: share) {
    case .unknown: break
    case .participant(let known) where known.acceptance == .invited:
      throw CloudError(
        .badRequest, "You are invited to this share already. Accept the invitation.",
        extension: .participantAlreadyInvited)
    case .owner, .participant, .open: return share
    }
    let identity = visitor.identity
    guard share.requests.areAllowed, !share.isBlocked(visitor) else { throw hiding() }
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
  /// Whether a visitor is to stay away, unless invited.
  func isBlocked(_ visitor: ShareVisitor) -> Bool { requests.blocked.contains { $0.isOf(visitor) } }

  /// Whether an invitation counts for a visitor whom it is for.
  ///
  /// Who blocks somebody may not know that an invitation to an address is theirs. So it counts for
  /// who is blocked only where each of the blocks names whom the invitation names: then the owner
  /// invites whom they blocked.
  func lets(_ visitor: ShareVisitor, in invited: UserIdentity) -> Bool {
    requests.blocked.allSatisfy { !$0.isOf(visitor) || $0.isSamePerson(as: invited) }
  }
}

extension ShareVisitor {
  /// As whoever answers the visitor's request sees it: by name, and by an address at which the
  /// visitor can be found.
  var identity: UserIdentity {
    let addresses = provenAddresses.sorted { "\($0)" < "\($1)" }
    return UserIdentity(
      userRecordName: userRecordName, nameComponents: nameComponents,
      lookupInfo: addresses.first ?? .userRecordName(userRecordName))
  }
}

extension ShareDetails {
  /// Lets in, refuses and blocks people who have asked.
  ///
  /// Who has asked and was invited since is let in. Who is blocked does not take part any more.
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

  /// Who takes part has nothing to ask for any more; the server knows better than an invitation who
  /// has asked.
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

  /// The server's own word of somebody stands, where it has one.
  ///
  /// An address that is a participant's, or of somebody who has asked, blocks the person.
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
    // Who was blocked and was invited all the same afterwards stays.
    let added = requests.blocked.filter { person in !former.contains { $0.isSamePerson(as: person) }
    }
    requests.requesters.removeAll { requester in added.contains { $0.isSamePerson(as: requester) } }
    participants.removeAll { participant in
      added.contains { $0.isSamePerson(as: participant.identity) }
    }
  }
}

extension UserIdentity {
  /// Who it is, by the address by which somebody names them.
  fileprivate func named(_ person: UserIdentity) -> UserIdentity {
    UserIdentity(
      userRecordName: userRecordName, nameComponents: nameComponents, lookupInfo: person.lookupInfo)
  }
}
