package import CloudRecords
import CloudWire

extension ShareRules {
  /// The participants of whom it matters for a proposal which addresses their accounts have.
  ///
  /// These are those who take part alone, and where an address is blocked those who have asked to;
  /// of anybody else the answer would tell who has an account.
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
  /// Whether it is an address, and nobody has said yet whose.
  fileprivate var isAddressAlone: Bool { hasAddress && userRecordName == nil }

  fileprivate var hasAddress: Bool {
    switch lookupInfo {
    case .emailAddress, .phoneNumber: true
    case .userRecordName, nil: false
    }
  }

  /// Takes a name where there is none yet, and an address likewise: whoever is meant stays the same
  /// person.
  fileprivate mutating func takeWhatIsNew(of other: UserIdentity) {
    if knownName == nil { userRecordName = other.userRecordName }
    guard !hasAddress, other.hasAddress else { return }
    // The address takes the place of the name that was looked for.
    userRecordName = knownName
    lookupInfo = other.lookupInfo
  }
}

extension ShareDetails {
  /// Who takes part, and has the address by which somebody is named.
  func participant(at person: UserIdentity, among people: [ShareVisitor]) -> ShareParticipant? {
    guard person.isAddressAlone else { return nil }
    let names = Set(people.filter { person.isOf($0) }.map(\.userRecordName))
    return participants.first {
      $0.role != .owner && $0.acceptance == .accepted
        && $0.identity.userRecordName.map(names.contains) ?? false
    }
  }

  /// Who has asked to take part, and has the address by which somebody is named.
  func requester(at person: UserIdentity, among people: [ShareVisitor]) -> UserIdentity? {
    guard person.isAddressAlone else { return nil }
    let names = Set(people.filter { person.isOf($0) }.map(\.userRecordName))
    return requests.requesters.first { $0.userRecordName.map(names.contains) ?? false }
  }
}

// MARK: - Who is in the share

extension ShareDetails {
  /// Gives the share the people of a proposal.
  ///
  /// Who takes part has one entry, whatever else names them: what is said of them in another way
  /// than by it is said last. An invitation that turns out to be theirs goes.
  mutating func setParticipants(
    _ proposed: [ShareRules.ProposedParticipant], before: ShareDetails, people: [ShareVisitor],
    makeIdentifier: () -> String
  ) throws(CloudError) {
    // While the share is open, nobody is invited.
    let list = ProposedList(of: proposed, to: self, people: publicPermission == .none ? people : [])
    var kept: [ShareParticipant] = []
    for (entry, known) in list.named {
      guard !kept.contains(where: { $0.identifier == known.identifier }) else {
        throw CloudError(.badRequest, "The participant \(known.identifier) is named twice.")
      }
      kept.append(known.changed(by: entry))
    }
    for (entry, known) in list.namedOtherwise {
      let place = kept.firstIndex { $0.identifier == known.identifier }
      let changed = (place.map { kept[$0] } ?? known).changed(by: entry)
      if let place { kept[place] = changed } else { kept.append(changed) }
    }
    var added: [ShareParticipant] = []
    // Others went with the change of the public permission that the same proposal makes.
    for entry in list.unknown where before.participants.described(by: entry) == nil {
      added.append(try entry.invitation(identifier: makeIdentifier()))
    }
    try refuseWhileOpen(kept: kept, added: added)
    // Those who stay keep their order, with the owner first.
    let owner = participants.filter { $0.role == .owner }
    let others = participants.compactMap { old in
      kept.first { $0.identifier == old.identifier && $0.role != .owner }
    }
    participants = owner + others + added
  }
}

/// The entries of a proposal, with whom each of them means.
private struct ProposedList {
  typealias Named = (entry: ShareRules.ProposedParticipant, known: ShareParticipant)

  /// Those whom the share has, each of whom is named once.
  var named: [Named] = []
  /// Those who take part, by other names than the share's for them.
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
      if let other = share.participant(behind: known, entry, among: people),
        staying.contains(other.identifier)
      {
        // An invitation that only came back with the others says nothing new.
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
  /// Who takes part, and was invited once more by an invitation that a client describes.
  fileprivate func participant(
    behind invited: ShareParticipant, _ entry: ShareRules.ProposedParticipant,
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
  /// The participant that a client means: by the share's name for it, and where there is none of
  /// that name, as by another version of the share, by who it is.
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
  /// Whether a client describes the participant, apart from all names that the share or the server
  /// gave it.
  fileprivate func isDescribed(by entry: ShareRules.ProposedParticipant) -> Bool {
    (role == .owner && entry.role == .owner && entry.identity.userRecordName == nil)
      || identity.isSamePerson(as: entry.identity)
  }

  /// A client says what a participant may do; who it is and how far it has come, the server knows.
  ///
  /// Who was asked by address alone may be named before they come, and get an address who was asked
  /// by name alone.
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
  fileprivate func invitation(identifier: String) throws(CloudError) -> ShareParticipant {
    guard identity.userRecordName != nil || identity.lookupInfo != nil else {
      throw CloudError(
        .badRequest,
        "A new participant needs a userRecordName, an emailAddress or a phoneNumber, so that it can be told who is invited."
      )
    }
    switch role {
    case .owner: throw CloudError(.badRequest, "A share has one owner, who cannot be changed.")
    case .publicUser:
      throw CloudError(.badRequest, "Public users come by the link; they cannot be invited.")
    case .user, .administrator, nil: break
    }
    return ShareParticipant(
      identifier: identifier, identity: identity, role: role ?? .user,
      permission: permission ?? .readOnly,
      acceptance: .invited)
  }
}
