package import CloudRecords
import CloudWire

/// The public keys of other users, and the keys that are sealed to them.
extension EncryptionEngine {
  /// Records whom the user invited to a zone or share, or removed.
  ///
  /// Keys of scopes that belong to others are delivered by their owners, so nothing is recorded.
  package func decide(
    on scope: KeyScope, inviting invited: Set<String> = [], removing removed: Set<String> = []
  ) throws {
    guard isOwner(of: scope) else { return }
    let former = try stored().state.intents[scope] ?? Intents()
    let decided = invited.union(removed).subtracting([account.userRecordName])
    var intents = former
    for user in decided.sorted() {
      intents.set(user, isWanted: !removed.contains(user), at: dependencies.now())
    }
    guard intents != former else { return }
    try keep {
      $0.state.intents[scope] = intents
      $0.keyRequests[scope]?.subtract(decided)
      $0.isStateUnsent = true
    }
  }

  /// Records that a share ended, so that all its people need another invitation.
  package func withdrawInvitations(to scope: KeyScope) throws {
    try decide(on: scope, removing: Set(stored().state.intents[scope]?.wanted ?? []))
  }

  /// The people whom the server names as participants, and whom the user did not invite.
  ///
  /// They get no keys before `allow(_:in:)`.
  package func keyRequests() throws -> [KeyScope: Set<String>] {
    try stored().keyRequests.filter { !$0.value.isEmpty }
  }

  /// Gives the keys of a zone or share to a person who waits for them.
  package func allow(_ user: String, in scope: KeyScope) async throws -> KeyDelivery {
    try requireOwner(of: scope)
    try decide(on: scope, inviting: [user])
    let recipients = try stored().rings[scope]?.recipients.map(\.userRecordName) ?? []
    return try await deliverKeys(of: scope, to: Set(recipients + [user]))
  }

  /// Seals the keys of a zone or share to those of its participants whom the user invited, and to
  /// the owner.
  ///
  /// A device of the owner calls this when participants join or leave. After a participant leaves
  /// there is a new key, which is not sealed to that participant. Who has keys already was invited
  /// on another device, since the owner's signature covers the list.
  package func deliverKeys(of scope: KeyScope, to participants: Set<String>) async throws
    -> KeyDelivery
  {
    try requireOwner(of: scope)
    let guests = participants.subtracting([account.userRecordName])
    let intents = try stored().state.intents[scope] ?? Intents()
    let plan = DeliveryPlan(
      owner: try userKeys().identity, guests: guests, intents: intents,
      people: try await trusted(guests.filter { intents.isWanted($0) == true }.sorted()))
    var isRotated = false
    let ring = try await changeRing(scope, makesFirst: true) { ring in
      let wanted = ring.withRecipients(plan.recipients(of: ring), self.dependencies.randomBytes)
      isRotated = wanted.newest != ring.newest
      if isRotated { try self.markForResealing(scope) }
      return wanted
    }
    confirmed.insert(scope)
    let delivery = plan.delivery(of: ring, isRotated: isRotated)
    let known = try stored().keyRequests[scope] ?? []
    if isRotated || known != Set(delivery.uninvited) {
      try keep {
        $0.keyRequests[scope] = delivery.uninvited.isEmpty ? nil : Set(delivery.uninvited)
        $0.isStateUnsent = $0.isStateUnsent || isRotated
      }
    }
    // The device that sees them next must know that they are invited.
    if !delivery.waiting.isEmpty, try stored().isStateUnsent { try await shareState() }
    return delivery
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

  /// The users whose keys this device trusts, in order.
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
    if let known = try stored().people[user], belongs(known.identity) {
      try keepState { $0.people[user]?.verify(at: KnownPerson.Moment(dependencies)) }
    } else if let offered = try await identity(of: user), belongs(offered) {
      let (former, moment) = (try stored().people[user]?.identity, KnownPerson.Moment(dependencies))
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
    let moment = KnownPerson.Moment(dependencies)
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

  private func trusted(_ names: [String]) async throws -> TrustedPeople {
    var people = TrustedPeople()
    for (name, identity) in zip(names, try await fetchIdentities(of: names)) {
      guard let identity else {
        people.waiting.append(name)
        continue
      }
      try pin([identity])
      if try stored().people[name]?.identity == identity {
        people.known.append(identity)
      } else {
        people.changed.append(name)
      }
    }
    return people
  }

  func fetchIdentities(of users: [String]) async throws -> [PublicIdentity?] {
    try await exchange.identities(of: users, in: account.container)
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

/// Another user, and what the server says of the user's keys.
package struct PersonKeys: Hashable, Sendable {
  package let known: KnownPerson
  /// The digits of the trusted keys, which both users compare.
  package let safetyNumber: String
  /// The digits of other keys that the server shows for the user; nil if it shows the trusted ones.
  package let changedSafetyNumber: String?
}
