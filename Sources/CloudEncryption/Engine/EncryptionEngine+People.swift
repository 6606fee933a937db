package import CloudRecords
import CloudWire

/// The public keys of other users, and the keys that are sealed to them.
extension EncryptionEngine {
  /// Seals the keys of a zone or share to exactly its participants and the owner.
  ///
  /// A device of the owner calls this when participants join or leave. After a participant leaves
  /// there is a new key, which is not sealed to that participant.
  package func deliverKeys(of scope: KeyScope, to participants: Set<String>) async throws
    -> KeyDelivery
  {
    try requireOwner(of: scope)
    let names = participants.subtracting([account.userRecordName]).sorted()
    let people = try await trusted(names)
    let owner = try userKeys().identity
    var isRotated = false
    let ring = try await changeRing(scope, makesFirst: true) { ring in
      // Users with untrusted keys, or without keys now, keep what was sealed to their previous
      // keys.
      let former = ring.recipients.filter {
        (people.changed + people.waiting).contains($0.userRecordName)
      }
      let wanted = ring.withRecipients(
        [owner] + people.known + former, self.dependencies.randomBytes)
      isRotated = wanted.newest != ring.newest
      if isRotated { try self.markForResealing(scope) }
      return wanted
    }
    confirmed.insert(scope)
    if isRotated { try keep { $0.isStateUnsent = true } }
    let recipients = (ring?.recipients ?? []).map(\.userRecordName).filter {
      $0 != account.userRecordName
    }
    return KeyDelivery(
      recipients: recipients.filter { !people.changed.contains($0) }, waiting: people.waiting,
      changed: people.changed,
      isRotated: isRotated)
  }

  /// Whether this device has keys of a zone or share.
  package func hasKeys(of scope: KeyScope) -> Bool { (try? stored().rings[scope]) != nil }

  /// Fetches a user's current public keys from the server, or nil if there are none.
  package func identity(of user: String) async throws -> PublicIdentity? {
    try await fetchIdentities(of: [user])[0]
  }

  // MARK: Trust

  /// Returns another user's trusted keys, and trusts those that the server shows if there are none.
  ///
  /// - Returns: Nil if the user has no keys yet.
  package func person(_ user: String) async throws -> PersonKeys? {
    let offered = try await identity(of: user)
    if let offered { try pin([offered]) }
    guard let known = try stored().people[user] else { return nil }
    let own = try userKeys().identity
    return PersonKeys(
      known: known, safetyNumber: SafetyNumber.text(of: own, and: known.identity),
      changedSafetyNumber: offered.flatMap {
        $0 == known.identity ? nil : SafetyNumber.text(of: own, and: $0)
      })
  }

  /// The users whose keys this device trusts, in order. Sends no request.
  package func people() throws -> [KnownPerson] {
    try stored().people.values.sorted { $0.identity.userRecordName < $1.identity.userRecordName }
  }

  /// Records that both users have seen the same digits.
  ///
  /// Digits of keys that replaced the trusted ones make them the trusted ones. All scopes whose
  /// keys the former ones could open get new keys.
  ///
  /// - Returns: Whether the digits belong to the user's keys.
  package func verify(_ user: String, safetyNumber: String) async throws -> Bool {
    let own = try userKeys().identity
    let belongs = { (identity: PublicIdentity) in
      Digits.typed(SafetyNumber.text(of: own, and: identity)) == Digits.typed(safetyNumber)
    }
    let moment = KnownPerson.Moment(time: dependencies.now(), device: dependencies.deviceName)
    if let known = try stored().people[user], belongs(known.identity) {
      try keepState { $0.people[user]?.verify(at: moment) }
    } else if let offered = try await identity(of: user), belongs(offered) {
      let former = try stored().people[user]?.identity
      try keepState {
        $0.people[user] = KnownPerson(offered, pinned: moment, verified: moment)
      }
      if let former { try await replace(former, by: offered) }
    } else {
      return false
    }
    confirmed = []
    try await shareState()
    return true
  }

  /// Gives the user's scopes new keys, which former keys of a recipient cannot open.
  private func replace(_ former: PublicIdentity, by present: PublicIdentity) async throws {
    let scopes = try stored().rings.filter { $0.value.recipients.contains(former) }.keys
    for scope in scopes.sorted() where isOwner(of: scope) {
      try markForResealing(scope)
      _ = try await changeRing(scope, makesFirst: false) { ring in
        ring.withRecipients(
          ring.recipients.map { $0 == former ? present : $0 }, self.dependencies.randomBytes)
      }
    }
  }

  /// Trusts the first keys that this device sees of each user.
  private func pin(_ identities: [PublicIdentity]) throws {
    let new = try identities.filter { try stored().people[$0.userRecordName] == nil }
    guard !new.isEmpty else { return }
    let moment = KnownPerson.Moment(time: dependencies.now(), device: dependencies.deviceName)
    try keepState { state in
      for identity in new where state.people[identity.userRecordName] == nil {
        state.people[identity.userRecordName] = KnownPerson(identity, pinned: moment)
      }
    }
  }

  private func keepState(_ change: (inout DeviceState) -> Void) throws {
    try keep {
      change(&$0.state)
      $0.isStateUnsent = true
    }
  }

  /// Returns the identity that this device trusts for a user: the first one that it saw.
  func trustedIdentity(of user: String) async throws -> PublicIdentity {
    if let known = try stored().people[user] { return known.identity }
    guard let identity = try await fetchIdentities(of: [user])[0] else {
      throw EncryptionError(
        .keysNotHandedOut,
        "The user “\(user)” has no public keys, so nothing from this user can be verified. The user must first use encryption on a device."
      )
    }
    try pin([identity])
    return try stored().people[user]?.identity ?? identity
  }

  private func trusted(
    _ names: [String]
  ) async throws -> (known: [PublicIdentity], waiting: [String], changed: [String]) {
    var (known, waiting, changed): ([PublicIdentity], [String], [String]) = ([], [], [])
    for (name, identity) in zip(names, try await fetchIdentities(of: names)) {
      guard let identity else {
        waiting.append(name)
        continue
      }
      try pin([identity])
      if try stored().people[name]?.identity == identity {
        known.append(identity)
      } else {
        changed.append(name)
      }
    }
    return (known, waiting, changed)
  }

  func fetchIdentities(of users: [String]) async throws -> [PublicIdentity?] {
    guard !users.isEmpty else { return [] }
    let bags = try await exchange.bags(at: users.map { .publicUser($0) }, in: .private)
    return try zip(users, bags).map { user, bag in
      try bag.map { try PublicIdentityBag.identity(of: $0.data, user: user, in: account.container) }
    }
  }
}

extension ShareDetails {
  /// The users who should have the share's keys: invited by name or joined, and not removed.
  package var keyRecipients: Set<String> {
    Set(
      participants.filter {
        $0.acceptance != .removed && ($0.permission != .none || $0.role == .owner)
      }
      .compactMap(\.identity.userRecordName))
  }
}

/// The result of sealing keys to participants.
package struct KeyDelivery: Hashable, Sendable {
  /// The users other than the owner who can open newly sealed values, in order.
  package var recipients: [String]
  /// Users who never used encryption, so that nothing can be sealed to them yet.
  ///
  /// Retry later.
  package var waiting: [String]
  /// Users whose public key differs from the one that this device trusts.
  ///
  /// Compare safety numbers, then trust the new key.
  package var changed: [String]
  /// Whether a user lost access.
  ///
  /// Existing records should then be resealed (`needsResealing`).
  package var isRotated: Bool
}

/// Another user, and what the server says of the user's keys.
package struct PersonKeys: Hashable, Sendable {
  package let known: KnownPerson
  /// The digits of the trusted keys, which both users compare.
  package let safetyNumber: String
  /// The digits of other keys that the server shows for the user; nil if it shows the trusted ones.
  package let changedSafetyNumber: String?
}
