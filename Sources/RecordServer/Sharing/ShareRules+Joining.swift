package import CloudRecords

/// A user who comes by a share's link, as the server knows it.
package struct ShareVisitor: Hashable, Sendable {
  package var userRecordName: String
  package var nameComponents: UserIdentity.NameComponents?
  /// Addresses that the user has proved to have.
  package var provenAddresses: Set<UserIdentity.LookupInfo>

  package init(
    userRecordName: String, nameComponents: UserIdentity.NameComponents? = nil,
    provenAddresses: Set<UserIdentity.LookupInfo> = []
  ) {
    self.userRecordName = userRecordName
    self.nameComponents = nameComponents
    self.provenAddresses = provenAddresses
  }

  init(named userRecordName: String, _ user: StoredUser?) {
    self.init(
      userRecordName: userRecordName, nameComponents: user?.identity.nameComponents,
      provenAddresses: Set(user?.provenAddresses ?? []))
  }
}

extension ShareRules {
  /// What a user is to a share: takes part, was asked, could come by the link, or none of these.
  package enum Invitation: Hashable, Sendable {
    case owner
    case participant(ShareParticipant)
    /// Nobody asked the user, but the share is open to everybody with the link.
    case open(ShareParticipant.Permission)
    /// Not asked by any name that the user is known by; these were asked by address and have not
    /// come.
    case unknown(potentialMatches: [ShareParticipant])

    /// The same, for deciding what the user may do.
    package var standing: LinkStanding {
      switch self {
      case .owner: .owner
      case .participant: .participant
      case .open(let permission): .everybody(permission)
      case .unknown: .everybody(.none)
      }
    }
  }

  /// Finds what a visitor is to a share.
  package static func invitation(of visitor: ShareVisitor, to share: ShareDetails) -> Invitation {
    let own = share.participants.filter { $0.identity.isOf(visitor) }
    if own.contains(where: { $0.role == .owner }) { return .owner }
    let known =
      own.first { $0.acceptance == .accepted }
      ?? own.first { $0.acceptance == .invited && share.lets(visitor, in: $0.identity) }
    if let known { return .participant(known) }
    if share.isBlocked(visitor) { return .unknown(potentialMatches: []) }
    if share.publicPermission != .none { return .open(share.publicPermission) }
    return .unknown(
      potentialMatches: share.participants.filter {
        $0.acceptance == .invited && $0.identity.userRecordName == nil
      })
  }

  /// The share after a visitor has accepted.
  ///
  /// Accepting again changes nothing. Further entries that turn out to be the visitor's go.
  package static func accept(
    _ share: ShareDetails, by visitor: ShareVisitor, limits: ServiceLimits,
    makeIdentifier: () -> String
  ) throws(CloudError) -> ShareDetails {
    var changed = share
    let invitation = invitation(of: visitor, to: share)
    try checkJoining(visitor, invitation)
    switch invitation {
    case .owner, .unknown: return share
    case .participant(let known):
      guard
        let index = changed.participants.firstIndex(where: { $0.identifier == known.identifier })
      else {
        return share
      }
      changed.participants[index].acceptance = .accepted
      changed.participants[index].identity.userRecordName = visitor.userRecordName
      changed.participants[index].identity.nameComponents = visitor.nameComponents
      changed.participants.removeAll {
        $0.identifier != known.identifier && $0.identity.isOf(visitor)
      }
    case .open(let permission):
      guard share.participants.count < limits.participantsPerShare else {
        throw CloudError(
          .badRequest, "The share has its \(limits.participantsPerShare) participants already.",
          extension: .tooManyParticipants)
      }
      changed.participants.removeAll { $0.identity.isOf(visitor) }
      let identity = UserIdentity(
        userRecordName: visitor.userRecordName, nameComponents: visitor.nameComponents)
      changed.participants.append(
        ShareParticipant(
          identifier: makeIdentifier(), identity: identity, role: .publicUser,
          permission: permission,
          acceptance: .accepted))
    }
    // Whoever has come has nothing to ask for any more.
    changed.requests.requesters.removeAll { $0.isSamePerson(as: visitor.identity) }
    return changed
  }

  private static func checkJoining(_ visitor: ShareVisitor, _ invitation: Invitation)
    throws(CloudError)
  {
    let permission = Permission.decide(
      .joinShare, by: .user(visitor.userRecordName), on: .link(invitation.standing))
    guard var error = permission.error(hiding: CloudError(.notFound, "There is no such share."))
    else { return }
    if case .unknown(let matches) = invitation, !matches.isEmpty {
      error.extension = .participantMayNeedVerification
    }
    throw error
  }

  /// The share after a participant has left it.
  package static func leave(_ share: ShareDetails, userRecordName: String) -> ShareDetails {
    var changed = share
    changed.participants.removeAll {
      $0.role != .owner && $0.identity.userRecordName == userRecordName
    }
    return changed
  }

  /// Who takes part in a share, and would not after a change.
  package static func sentAway(from share: ShareDetails, by changed: ShareDetails?) -> Set<String> {
    var names: Set<String> = []
    for participant in share.participants
    where participant.role != .owner && participant.acceptance == .accepted {
      guard let name = participant.identity.userRecordName else { continue }
      if case .participant? = changed.map({ standing(of: name, in: $0) }) { continue }
      names.insert(name)
    }
    return names
  }

  /// What a user is to a share, for deciding what it may do.
  package static func standing(of userRecordName: String, in share: ShareDetails) -> ShareRole {
    guard
      let known = share.participants.first(where: { $0.identity.userRecordName == userRecordName })
    else {
      return .outsider
    }
    switch known.acceptance {
    case .accepted: return .participant(known.role, known.permission)
    case .invited: return .invited
    case .removed: return .outsider
    }
  }

  /// Whether somebody manages who takes part in a share.
  package static func isManager(_ userRecordName: String?, of share: ShareDetails) -> Bool {
    guard let own = participant(userRecordName, of: share) else { return false }
    return own.role == .owner || (own.role == .administrator && own.acceptance == .accepted)
  }

  private static func participant(_ userRecordName: String?, of share: ShareDetails)
    -> ShareParticipant?
  {
    share.participants.first {
      $0.identity.userRecordName == userRecordName && userRecordName != nil
    }
  }

  /// The participants that a caller is shown: those who manage a share see all, others the owner
  /// and themselves.
  package static func participants(of share: ShareDetails, shownTo userRecordName: String?)
    -> [ShareParticipant]
  {
    if isManager(userRecordName, of: share) { return share.participants }
    let own = participant(userRecordName, of: share)
    return share.participants.filter { $0.role == .owner || $0.identifier == own?.identifier }.map {
      shown in
      guard shown.role == .owner else { return shown }
      var owner = shown
      owner.identity.lookupInfo = nil
      return owner
    }
  }
}

extension UserIdentity {
  /// Whether it is the visitor who is meant: by name where there is one, else by any address that
  /// is proven.
  func isOf(_ visitor: ShareVisitor) -> Bool {
    if let userRecordName { return userRecordName == visitor.userRecordName }
    guard let info = lookupInfo else { return false }
    return visitor.provenAddresses.contains { $0.isSame(as: info) }
      || info == .userRecordName(visitor.userRecordName)
  }
}
