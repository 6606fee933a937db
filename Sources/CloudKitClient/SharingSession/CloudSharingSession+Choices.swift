public import Foundation

/// The changes that a sharing sheet offers, each of which saves the share.
extension CloudSharingSession {
  // MARK: People

  /// Invites a person by an e-mail address, or changes the permission of a participant.
  ///
  /// If the operator of the server has configured mail, the server sends the invitation. Otherwise
  /// give the person the ``link``.
  ///
  /// - Parameters:
  ///   - permission: The person's permission.
  ///   - role: `administrator` if the person may invite others.
  @discardableResult
  public func invite(
    emailAddress: String, permission: CKShare.ParticipantPermission = .readOnly,
    role: CKShare.ParticipantRole = .privateUser
  ) async throws -> CKShare.Participant {
    try await invite(
      CKUserIdentity.LookupInfo(emailAddress: emailAddress), permission: permission, role: role)
  }

  /// Invites a person by any lookup information, or changes the permission of a participant.
  @discardableResult
  public func invite(
    _ info: CKUserIdentity.LookupInfo, permission: CKShare.ParticipantPermission = .readOnly,
    role: CKShare.ParticipantRole = .privateUser
  ) async throws -> CKShare.Participant {
    try check(permission, role)
    try checkAccess(.specifiedRecipientsOnly)
    _ = try await prepare()
    guard let container else { throw CKError(.internalError, "The session has no container.") }
    let guest = try await container.participant(info)
    (guest.permission, guest.role) = (permission, role)
    let saved = try await change { share in
      try Self.checkPrivate(share)
      share.addParticipant(guest)
    }
    return saved.participants.first { $0.isSamePerson(as: guest) } ?? guest
  }

  /// Creates a link by which one person can accept the share as a participant.
  public func makeOneTimeLink(
    permission: CKShare.ParticipantPermission = .readOnly
  ) async throws -> URL {
    try check(permission, .privateUser)
    try checkAccess(.specifiedRecipientsOnly)
    let guest = CKShare.Participant.oneTimeURLParticipant()
    guest.permission = permission
    let saved = try await change { share in
      try Self.checkPrivate(share)
      share.addParticipant(guest)
    }
    guard let url = saved.oneTimeURL(for: guest.participantID) else {
      throw CKError(.internalError, "The server made no one-time URL for the participant.")
    }
    return url
  }

  /// Sets a participant's permission.
  public func setPermission(
    _ permission: CKShare.ParticipantPermission, of participant: CKShare.Participant
  ) async throws {
    try check(permission, .privateUser)
    try await change { share in
      try Self.known(participant, in: share).permission = permission
    }
  }

  /// Sets a participant's role: `administrator` or `privateUser`.
  public func setRole(_ role: CKShare.ParticipantRole, of participant: CKShare.Participant)
    async throws
  {
    try check(participant.permission, role)
    try await change { share in try Self.known(participant, in: share).role = role }
  }

  /// Removes a participant, or withdraws an invitation.
  public func remove(_ participant: CKShare.Participant) async throws {
    try await change { share in
      share.removeParticipant(try Self.known(participant, in: share))
    }
  }

  /// Returns the share's own object for a participant, who must not be the owner.
  private static func known(_ participant: CKShare.Participant, in share: CKShare) throws
    -> CKShare.Participant
  {
    guard let known = share.participants.first(where: { $0.isSamePerson(as: participant) }) else {
      throw CKError(.unknownItem, "The share has no such participant any more.")
    }
    guard known.role != .owner else {
      throw CKError(.invalidArguments, "The owner of a share cannot be changed or removed.")
    }
    return known
  }

  private static func checkPrivate(_ share: CKShare) throws {
    guard share.publicPermission != .none else { return }
    throw CKError(
      .invalidArguments,
      "Everyone with the link may join. Set the public permission to none before inviting people.")
  }

  // MARK: Access

  /// Sets the permission of everyone who has the link; `none` makes the share private.
  ///
  /// Making a share public withdraws pending invitations. Making it private removes all
  /// participants but the owner.
  public func setPublicPermission(_ permission: CKShare.ParticipantPermission) async throws {
    if permission == .none {
      try checkAccess(.specifiedRecipientsOnly)
    } else {
      try checkAccess(.anyoneWithLink)
      try check(permission, .publicUser)
    }
    try await change { $0.publicPermission = permission }
  }

  /// Sets whether people with the link may request access.
  public func setAllowsAccessRequests(_ isAllowed: Bool) async throws {
    guard !isAllowed || allowedSharingOptions.allowsAccessRequests else {
      throw Self.refusal("requests for access")
    }
    try await change { $0.allowsAccessRequests = isAllowed }
  }

  // MARK: Access requests

  /// Admits a person who requested access.
  public func approve(
    _ requester: CKShare.AccessRequester, permission: CKShare.ParticipantPermission = .readOnly
  ) async throws {
    try await invite(requester.participantLookupInfo, permission: permission)
  }

  /// Denies a request.
  ///
  /// The person may request access again.
  public func deny(_ requester: CKShare.AccessRequester) async throws {
    try await change { $0.denyRequesters([requester]) }
  }

  /// Denies a request and blocks further requests of this person.
  public func block(_ requester: CKShare.AccessRequester) async throws {
    try await change { $0.blockRequesters([requester]) }
  }

  /// Allows a blocked person to request access again.
  public func unblock(_ identity: CKShare.BlockedIdentity) async throws {
    try await change { $0.unblockIdentities([identity]) }
  }

  // MARK: Limits

  private func check(_ permission: CKShare.ParticipantPermission, _ role: CKShare.ParticipantRole)
    throws
  {
    let (options, available) = (allowedSharingOptions, availablePermissions)
    let allowed = options.allowedParticipantPermissionOptions
    switch permission {
    case .readOnly:
      guard allowed.contains(.readOnly), available.contains(.allowReadOnly) else {
        throw Self.refusal("read-only participants")
      }
    case .readWrite:
      guard allowed.contains(.readWrite), available.contains(.allowReadWrite) else {
        throw Self.refusal("participants who may write")
      }
    case .none, .unknown:
      throw CKError(.invalidArguments, "A participant may read, or read and write.")
    }
    switch role {
    case .privateUser, .publicUser: break
    case .administrator:
      guard options.allowsParticipantsToInviteOthers else {
        throw Self.refusal("participants who invite others")
      }
    case .owner, .unknown:
      throw CKError(.invalidArguments, "A participant is a private user or an administrator.")
    }
  }

  private func checkAccess(_ access: CKSharingParticipantAccessOption) throws {
    let isPublic = access == .anyoneWithLink
    guard allowedSharingOptions.allowedParticipantAccessOptions.contains(access),
      availablePermissions.contains(isPublic ? .allowPublic : .allowPrivate)
    else {
      throw Self.refusal(isPublic ? "access for everyone with the link" : "invited participants")
    }
  }

  private static func refusal(_ what: String) -> CKError {
    CKError(
      .invalidArguments,
      "This session does not allow \(what): see availablePermissions and allowedSharingOptions.")
  }
}

extension CKContainer {
  /// Fetches a user as a share participant.
  fileprivate func participant(_ info: CKUserIdentity.LookupInfo) async throws
    -> CKShare.Participant
  {
    if let address = info.emailAddress {
      return try await shareParticipant(forEmailAddress: address)
    }
    if let number = info.phoneNumber { return try await shareParticipant(forPhoneNumber: number) }
    guard let user = info.userRecordID else {
      throw CKError(.invalidArguments, "The lookup information is empty.")
    }
    return try await shareParticipant(forUserRecordID: user)
  }
}
