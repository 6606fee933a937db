package import CloudRecords

/// A user who follows a share's link.
package struct ShareVisitor: Hashable, Sendable {
  package var userRecordName: String
  package var nameComponents: UserIdentity.NameComponents?
  /// The user's verified addresses.
  package var provenAddresses: Set<UserIdentity.LookupInfo>
  /// The short identifier by which the user found the share; nil if the user did not follow a link.
  ///
  /// It may be that of a one-time link.
  package var oneTimeName: String?

  package init(
    userRecordName: String, nameComponents: UserIdentity.NameComponents? = nil,
    provenAddresses: Set<UserIdentity.LookupInfo> = [], oneTimeName: String? = nil
  ) {
    self.oneTimeName = oneTimeName
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
  /// A user's relation to a share.
  package enum Invitation: Hashable, Sendable {
    case owner
    case participant(ShareParticipant)
    /// Not invited, but the share is public.
    case open(ShareParticipant.Permission)
    /// Not invited by any known identity.
    ///
    /// The potential matches are pending invitations by address, which may be the user's.
    case unknown(potentialMatches: [ShareParticipant])
    /// Not invited, and blocked or not allowed to request access: the share appears not to exist.
    case concealed

    /// The user's relation in the form that permission checks take.
    package var standing: LinkStanding {
      switch self {
      case .owner: .owner
      case .participant(let known): .participant(known.permission)
      case .open(let permission): .uninvited(permission)
      case .unknown: .uninvited(.none)
      case .concealed: .concealed
      }
    }
  }

  /// Determines a visitor's relation to a share.
  package static func invitation(of visitor: ShareVisitor, to share: ShareDetails) -> Invitation {
    let own = share.participants.filter { $0.identity.isOf(visitor) }
    if own.contains(where: { $0.role == .owner }) { return .owner }
    let known =
      own.first { $0.acceptance == .accepted }
      ?? own.first { $0.acceptance == .invited && share.admits(visitor, in: $0.identity) }
      ?? share.participants.first {
        $0.awaitsOneTimeLink && $0.oneTimeName == visitor.oneTimeName
          && share.admits(visitor, in: $0.identity)
      }
    if let known { return .participant(known) }
    if share.isBlocked(visitor) { return .concealed }
    if share.publicPermission != .none { return .open(share.publicPermission) }
    guard share.requests.areAllowed else { return .concealed }
    return .unknown(
      potentialMatches: share.participants.filter {
        $0.acceptance == .invited && $0.identity.userRecordName == nil
          && $0.identity.lookupInfo != nil
      })
  }

  /// The share after a visitor has accepted.
  ///
  /// Accepting again changes nothing. Further invitations that turn out to be the visitor's are
  /// removed. The first visitor who accepts by a one-time link becomes the link's participant.
  ///
  /// - Parameters:
  ///   - proof: The visitor's proof for the owner's devices. A later proof replaces the former one;
  ///     nil keeps it.
  ///   - hiding: The error for a missing share, for visitors who may not know that it exists.
  package static func accept(
    _ share: ShareDetails, by visitor: ShareVisitor, proof: [UInt8]? = nil, limits: ServiceLimits,
    hiding: @autoclosure () -> CloudError = CloudError(.notFound, "There is no such share."),
    makeIdentifier: () -> String
  ) throws(CloudError) -> ShareDetails {
    if let proof, proof.count > ServerLimits.joinProofBytes {
      throw CloudError(
        .badRequest,
        "joinProof has \(proof.count) bytes; at most \(ServerLimits.joinProofBytes) are allowed.")
    }
    var changed = share
    let invitation = invitation(of: visitor, to: share)
    try checkJoining(visitor, invitation, hiding: hiding())
    switch invitation {
    case .owner, .unknown, .concealed: return share
    case .participant(let known):
      guard
        let index = changed.participants.firstIndex(where: { $0.identifier == known.identifier })
      else {
        return share
      }
      changed.participants[index].acceptance = .accepted
      if known.awaitsOneTimeLink, known.identity.lookupInfo == nil {
        changed.participants[index].identity = visitor.identity
      }
      changed.participants[index].identity.userRecordName = visitor.userRecordName
      changed.participants[index].identity.nameComponents = visitor.nameComponents
      changed.participants[index].joinProof = proof ?? known.joinProof
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
      var joined = ShareParticipant(
        identifier: makeIdentifier(), identity: identity, role: .publicUser,
        permission: permission, acceptance: .accepted)
      joined.joinProof = proof
      changed.participants.append(joined)
    }
    // A participant's access request is obsolete.
    changed.requests.requesters.removeAll { $0.isSamePerson(as: visitor.identity) }
    return changed
  }

  private static func checkJoining(
    _ visitor: ShareVisitor, _ invitation: Invitation, hiding: @autoclosure () -> CloudError
  ) throws(CloudError) {
    let permission = Permission.decide(
      .joinShare, by: .user(visitor.userRecordName), on: .link(invitation.standing))
    guard var error = permission.error(hiding: hiding()) else { return }
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

  /// The participants who lose access by a change.
  package static func removedParticipants(from share: ShareDetails, by changed: ShareDetails?)
    -> Set<String>
  {
    var names: Set<String> = []
    for participant in share.participants
    where participant.role != .owner && participant.acceptance == .accepted {
      guard let name = participant.identity.userRecordName else { continue }
      if case .participant? = changed.map({ standing(of: name, in: $0) }) { continue }
      names.insert(name)
    }
    return names
  }

  /// A user's role in a share, for permission checks.
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

  /// Whether a user may manage a share's participants.
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

  /// The participants visible to a caller: managers see all, others see the owner and themselves.
  ///
  /// Managers see one-time links, except those that were sent by mail. Others see none.
  package static func participants(of share: ShareDetails, shownTo userRecordName: String?)
    -> [ShareParticipant]
  {
    if isManager(userRecordName, of: share) { return share.participants.map(\.withoutMailLink) }
    let own = participant(userRecordName, of: share)
    return share.participants.filter { $0.role == .owner || $0.identifier == own?.identifier }.map {
      var shown = $0
      shown.oneTimeName = nil
      if shown.role == .owner { shown.identity.lookupInfo = nil }
      return shown
    }
  }
}

extension ShareParticipant {
  /// The participant without a link that was sent to it by mail.
  fileprivate var withoutMailLink: ShareParticipant {
    guard acceptance == .invited, identity.lookupInfo != nil else { return self }
    var shown = self
    shown.oneTimeName = nil
    return shown
  }
}

extension UserIdentity {
  /// Whether the identity is the visitor's: by name if it has one, otherwise by a verified address.
  func isOf(_ visitor: ShareVisitor) -> Bool {
    if let userRecordName { return userRecordName == visitor.userRecordName }
    guard let info = lookupInfo else { return false }
    return visitor.provenAddresses.contains { $0.isSame(as: info) }
      || info == .userRecordName(visitor.userRecordName)
  }
}
