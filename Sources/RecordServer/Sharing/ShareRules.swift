package import CloudRecords
package import CloudWire

/// All rules for changing shares and their participants, as pure functions.
package enum ShareRules {
  /// The changes to a share that a client requests.
  ///
  /// Nil keeps the former value.
  package struct Proposal: Hashable, Sendable {
    package var publicPermission: ShareParticipant.Permission?
    package var participants: [ProposedParticipant]?
    package var requests: ShareRequestsInput

    package init(
      publicPermission: ShareParticipant.Permission? = nil,
      participants: [ProposedParticipant]? = nil,
      requests: ShareRequestsInput = ShareRequestsInput()
    ) {
      self.publicPermission = publicPermission
      self.participants = participants
      self.requests = requests
    }
  }

  /// A participant in a client's request.
  package struct ProposedParticipant: Hashable, Sendable {
    /// The identifier of an existing participant in the share.
    ///
    /// For a one-time link, it is the identifier that the client chose for the new participant.
    package var identifier: String?
    package var identity: UserIdentity
    package var role: ShareParticipant.Role?
    package var permission: ShareParticipant.Permission?
    package var acceptance: ShareParticipant.Acceptance?
    /// Whether a new participant is invited by a one-time link.
    package var isOneTime = false

    package init(
      identifier: String? = nil, identity: UserIdentity, role: ShareParticipant.Role? = nil,
      permission: ShareParticipant.Permission? = nil, acceptance: ShareParticipant.Acceptance? = nil
    ) {
      self.identifier = identifier
      self.identity = identity
      self.role = role
      self.permission = permission
      self.acceptance = acceptance
    }
  }

  /// Creates a share with its owner as the first participant.
  package static func create(
    owner: UserIdentity, rootName: String?, proposal: Proposal, limits: ServiceLimits,
    makeIdentifier: () -> String
  ) throws(CloudError) -> ShareDetails {
    let first = ShareParticipant(
      identifier: makeIdentifier(), identity: owner, role: .owner, permission: .readWrite,
      acceptance: .accepted)
    let empty = ShareDetails(publicPermission: .none, participants: [first], rootName: rootName)
    return try change(empty, proposal, limits: limits, makeIdentifier: makeIdentifier)
  }

  /// Applies a proposal to a share.
  ///
  /// While the share is public, participants cannot be invited or removed by name. Making it public
  /// revokes pending invitations; making it private removes those who joined by the link, and all
  /// others whom the proposal does not list. Existing participants are not invited again.
  ///
  /// - Parameter people: The account data of the participants from `needsAccounts`.
  package static func change(
    _ share: ShareDetails, _ proposal: Proposal, people: [ShareVisitor] = [], limits: ServiceLimits,
    makeIdentifier: () -> String
  ) throws(CloudError) -> ShareDetails {
    var changed = share
    if let permission = proposal.publicPermission, permission != share.publicPermission {
      changed.setPublicPermission(permission, keepsListed: proposal.participants != nil)
    }
    if let proposed = proposal.participants {
      try changed.setParticipants(
        proposed, before: share, people: people, makeIdentifier: makeIdentifier)
    }
    try changed.answerRequests(proposal.requests, people: people, limits)
    try changed.refuseSecondEntries(besides: share)
    guard changed.participants.count <= limits.participantsPerShare else {
      throw CloudError(
        .badRequest,
        "A share has at most \(limits.participantsPerShare) participants; this one would have \(changed.participants.count).",
        extension: .tooManyParticipants)
    }
    return changed
  }
}

extension ShareDetails {
  /// Sets the public permission, and removes the participants that it excludes.
  ///
  /// - Parameter keepsListed: Whether the proposal lists the participants that stay.
  fileprivate mutating func setPublicPermission(
    _ permission: ShareParticipant.Permission, keepsListed: Bool
  ) {
    let wasClosed = publicPermission == .none
    publicPermission = permission
    if permission == .none {
      participants.removeAll { $0.role == .publicUser || $0.role != .owner && !keepsListed }
    } else {
      if wasClosed { participants.removeAll { $0.acceptance == .invited } }
      for index in participants.indices where participants[index].role == .publicUser {
        participants[index].permission = permission
      }
    }
  }

  /// Throws if a person has a second entry, by which a removed person could return.
  ///
  /// Unchanged entries may stay: the user of an invitation is known only after its acceptance.
  fileprivate func refuseSecondEntries(besides former: ShareDetails) throws(CloudError) {
    let known = Dictionary(former.participants.map { ($0.identifier, $0.identity) }) { first, _ in
      first
    }
    for new in participants where known[new.identifier] != new.identity {
      let other = participants.first {
        $0.identifier != new.identifier && $0.identity.isSamePerson(as: new.identity)
      }
      guard let other else { continue }
      throw CloudError(
        .badRequest,
        "A new or renamed participant is the same person as the participant \(other.identifier). Name each person once."
      )
    }
  }

  /// Throws if participants are invited or removed by name while the share is public.
  func refuseWhileOpen(kept: [ShareParticipant], added: [ShareParticipant]) throws(CloudError) {
    guard publicPermission != .none else { return }
    let leaving = participants.filter { old in
      old.role != .owner && old.role != .publicUser
        && !kept.contains { $0.identifier == old.identifier }
    }
    guard added.isEmpty, leaving.isEmpty else {
      throw CloudError(
        .badRequest,
        "Participants can be added and removed only while the share's public permission is NONE. Set it to NONE first."
      )
    }
  }
}
