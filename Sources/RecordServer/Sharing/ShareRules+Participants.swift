package import CloudRecords
import CloudWire

extension ShareRules {
  /// The participants whose account addresses a proposal depends on.
  ///
  /// They are the accepted participants and, if an address is blocked, the requesters; for others
  /// the result would reveal who has an account.
  package static func needsAccounts(of share: ShareDetails, for proposal: Proposal) -> [String] {
    let blocked = proposal.requests.blocked ?? []
    let named = (proposal.participants ?? []).map(\.identity) + blocked
    guard named.contains(where: \.isAddressAlone) else { return [] }
    let partners = share.participants.filter { $0.role != .owner && $0.acceptance == .accepted }
      .map(\.identity)
    let others = blocked.contains(where: \.isAddressAlone) ? share.requests.requesters : []
    return (partners + others).compactMap(\.userRecordName)
  }
}

extension UserIdentity {
  /// Whether the identity is an address whose user is unknown.
  fileprivate var isAddressAlone: Bool { hasAddress && userRecordName == nil }

  fileprivate var hasAddress: Bool {
    switch lookupInfo {
    case .emailAddress, .phoneNumber: true
    case .userRecordName, nil: false
    }
  }

  /// Adds a missing name or address from another identity of the same person.
  fileprivate mutating func takeWhatIsNew(of other: UserIdentity) {
    if knownName == nil { userRecordName = other.userRecordName }
    guard !hasAddress, other.hasAddress else { return }
    // The name moves out of `lookupInfo`, which gets the address.
    userRecordName = knownName
    lookupInfo = other.lookupInfo
  }
}

extension ShareDetails {
  /// The participant whose account has the address that identifies a person.
  func participant(at person: UserIdentity, among people: [ShareVisitor]) -> ShareParticipant? {
    guard person.isAddressAlone else { return nil }
    let names = Set(people.filter { person.isOf($0) }.map(\.userRecordName))
    return participants.first {
      $0.role != .owner && $0.acceptance == .accepted
        && $0.identity.userRecordName.map(names.contains) ?? false
    }
  }

  /// The requester whose account has the address that identifies a person.
  func requester(at person: UserIdentity, among people: [ShareVisitor]) -> UserIdentity? {
    guard person.isAddressAlone else { return nil }
    let names = Set(people.filter { person.isOf($0) }.map(\.userRecordName))
    return requests.requesters.first { $0.userRecordName.map(names.contains) ?? false }
  }
}

// MARK: - Participants

extension ShareDetails {
  /// Sets the participants of a proposal.
  ///
  /// Entries that identify a participant by other means than its identifier in the share are
  /// applied last. An invitation that turns out to be for an existing participant is removed.
  mutating func setParticipants(
    _ proposed: [ShareRules.ProposedParticipant], before: ShareDetails, people: [ShareVisitor],
    makeIdentifier: () -> String
  ) throws(CloudError) {
    // A public share accepts no invitations.
    let list = ProposedList(of: proposed, to: self, people: publicPermission == .none ? people : [])
    var kept: [ShareParticipant] = []
    for (entry, known) in list.named {
      try kept.add(known.changed(by: entry))
    }
    for (entry, known) in list.namedOtherwise {
      let place = kept.firstIndex { $0.identifier == known.identifier }
      let changed = (place.map { kept[$0] } ?? known).changed(by: entry)
      if let place { kept[place] = changed } else { kept.append(changed) }
    }
    var added: [ShareParticipant] = []
    // Entries of former participants are skipped: the change of the public permission in the same
    // proposal removed them.
    for entry in list.unknown where before.participants.described(by: entry) == nil {
      try added.add(try entry.invitation(makeIdentifier: makeIdentifier))
    }
    try refuseWhileOpen(kept: kept, added: added)
    // Remaining participants keep their order, with the owner first.
    let owner = participants.filter { $0.role == .owner }
    let others = participants.compactMap { old in
      kept.first { $0.identifier == old.identifier && $0.role != .owner }
    }
    participants = owner + others + added
  }
}

/// The entries of a proposal, matched with participants.
private struct ProposedList {
  typealias Named = (entry: ShareRules.ProposedParticipant, known: ShareParticipant)

  /// Existing participants, each named once.
  var named: [Named] = []
  /// Participants whose entries do not use their identifiers in the share.
  var namedOtherwise: [Named] = []
  var unknown: [ShareRules.ProposedParticipant] = []

  init(
    of proposed: [ShareRules.ProposedParticipant], to share: ShareDetails, people: [ShareVisitor]
  ) {
    let meant = proposed.map { entry in
      share.participants.described(by: entry)
        ?? share.participant(at: entry.identity, among: people)
    }
    let staying = Set(meant.compactMap { $0?.identifier })
    for (entry, known) in zip(proposed, meant) {
      guard let known else {
        unknown.append(entry)
        continue
      }
      if let other = share.participant(invitedAs: known, entry, among: people),
        staying.contains(other.identifier)
      {
        // An invitation that is sent back unchanged contains nothing new.
        if known.identity.userRecordName == nil, entry.identity.userRecordName != nil {
          namedOtherwise.append((entry, other))
        }
      } else if known.acceptance == .accepted, entry.identifier != known.identifier {
        namedOtherwise.append((entry, known))
      } else {
        named.append((entry, known))
      }
    }
  }
}

extension ShareDetails {
  /// The accepted participant who was invited again by an entry from a client.
  fileprivate func participant(
    invitedAs invited: ShareParticipant, _ entry: ShareRules.ProposedParticipant,
    among people: [ShareVisitor]
  ) -> ShareParticipant? {
    guard invited.acceptance == .invited else { return nil }
    let person = invited.changed(by: entry).identity
    return participants.first {
      $0.acceptance == .accepted && $0.role != .owner && $0.identity.isSamePerson(as: person)
    }
      ?? participant(at: person, among: people)
  }
}

extension [ShareParticipant] {
  /// Adds a participant of a proposal, or throws if the proposal names it twice.
  fileprivate mutating func add(_ participant: ShareParticipant) throws(CloudError) {
    guard !contains(where: { $0.identifier == participant.identifier }) else {
      throw CloudError(.badRequest, "The participant \(participant.identifier) is named twice.")
    }
    append(participant)
  }

  /// The participant that an entry means, by identifier or else by identity.
  ///
  /// An entry from another version of the share may have another identifier.
  fileprivate func described(by entry: ShareRules.ProposedParticipant) -> ShareParticipant? {
    if let name = entry.identifier, let known = first(where: { $0.identifier == name }) {
      return known
    }
    if let name = entry.identity.userRecordName,
      let known = first(where: { $0.identity.userRecordName == name })
    {
      return known
    }
    return first { $0.isDescribed(by: entry) }
  }
}

extension ShareParticipant {
  /// Whether an entry describes the participant, regardless of server-assigned identifiers.
  fileprivate func isDescribed(by entry: ShareRules.ProposedParticipant) -> Bool {
    (role == .owner && entry.role == .owner && entry.identity.userRecordName == nil)
      || identity.isSamePerson(as: entry.identity)
  }

  /// Applies an entry's permission and role.
  ///
  /// The server decides the acceptance and the identity. But an invited participant that lacks a
  /// name or an address gets it from the entry.
  fileprivate func changed(by entry: ShareRules.ProposedParticipant) -> ShareParticipant {
    guard role != .owner else { return self }
    var changed = self
    if acceptance == .invited { changed.identity.takeWhatIsNew(of: entry.identity) }
    if role != .publicUser {
      changed.permission = entry.permission ?? permission
      if let role = entry.role, role == .user || role == .administrator { changed.role = role }
    }
    return changed
  }
}

extension ShareRules.ProposedParticipant {
  fileprivate func invitation(makeIdentifier: () -> String) throws(CloudError) -> ShareParticipant {
    guard isOneTime || identity.userRecordName != nil || identity.lookupInfo != nil else {
      throw CloudError(
        .badRequest,
        "A new participant needs a userRecordName, an emailAddress or a phoneNumber to identify the person."
      )
    }
    switch role {
    case .owner: throw CloudError(.badRequest, "A share has one owner, who cannot be changed.")
    case .publicUser:
      throw CloudError(.badRequest, "Public users join by the link; they cannot be invited.")
    case .user, .administrator, nil: break
    }
    // A program asks for the link by the identifier that it gave the participant.
    let identifier = isOneTime ? self.identifier.flatMap(Self.usable) : nil
    var invited = ShareParticipant(
      identifier: identifier ?? makeIdentifier(), identity: isOneTime ? UserIdentity() : identity,
      role: role ?? .user, permission: permission ?? .readOnly, acceptance: .invited)
    if isOneTime { invited.oneTimeName = makeIdentifier() }
    return invited
  }

  /// An identifier from a client; nil if its form is not valid.
  private static func usable(_ identifier: String) -> String? {
    let isPlain = identifier.utf8.allSatisfy {
      ($0 | 0x20) >= UInt8(ascii: "a") && ($0 | 0x20) <= UInt8(ascii: "z")
        || $0 >= UInt8(ascii: "0") && $0 <= UInt8(ascii: "9") || $0 == UInt8(ascii: "-")
    }
    return isPlain && (1...64).contains(identifier.utf8.count) ? identifier : nil
  }
}
