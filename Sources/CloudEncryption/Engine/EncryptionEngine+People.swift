package import CloudRecords
import CloudWire

/// The public keys of other users, and the keys that are sealed to them.
extension EncryptionEngine {
  /// Records the user's decisions about the people of a zone or share.
  ///
  /// It records nothing for scopes of other owners, who deliver the keys themselves.
  package func decide(on scope: KeyScope, _ decisions: ShareDecisions) throws {
    guard isOwner(of: scope) else { return }
    let now = dependencies.now()
    try keepChange { $0.decide(on: scope, decisions, at: now) }
  }

  /// Records that a share ended, so that all its people need a new invitation.
  package func withdrawInvitations(to scope: KeyScope) throws {
    guard isOwner(of: scope) else { return }
    try keepState { $0.links[scope]?.withdraw() }
    try decide(on: scope, ShareDecisions(removing: Set(stored().intents(of: scope).wanted)))
  }

  /// Records that a zone was deleted with all its shares.
  package func withdrawInvitations(in zone: RecordZoneIdentifier) throws {
    let state = try stored().state
    for scope in Set(state.intents.keys).union(state.links.keys).sorted() where scope.zone == zone {
      try withdrawInvitations(to: scope)
    }
  }

  /// Returns the participants, as listed by the server, who wait for the user's invitation or for
  /// the confirmation of their safety numbers.
  ///
  /// They get no keys before `allow(_:in:)` or `verify(_:safetyNumber:)`.
  package func keyRequests() throws -> [KeyScope: Set<String>] {
    try stored().keyRequests.filter { !$0.value.isEmpty }
  }

  /// Gives the keys of a zone or share to a person who waits for them.
  ///
  /// - Throws: ``EncryptionError/Code/notVerified`` if the policy requires a confirmed safety
  ///   number. The person is invited anyway, and gets the keys after the confirmation.
  package func allow(_ user: String, in scope: KeyScope) async throws -> KeyDelivery {
    try requireOwner(of: scope)
    try decide(on: scope, ShareDecisions(admitting: [user]))
    let delivery = try await deliver(scope, alsoTo: user)
    guard !delivery.unverified.contains(user) else { throw EncryptionError.notVerified(user) }
    return delivery
  }

  private func deliver(_ scope: KeyScope, alsoTo user: String) async throws -> KeyDelivery {
    let recipients = try stored().rings[scope]?.recipients.map(\.userRecordName) ?? []
    return try await deliverKeys(of: scope, to: Set(recipients + [user]))
  }

  /// Returns the policy for giving keys to invited people.
  package func policy() throws -> DeliveryPolicy { try stored().state.policy.policy }

  /// Chooses which of the invited people get keys, for all of the user's devices.
  ///
  /// If the policy requires confirmed safety numbers, the next delivery of each scope gives new
  /// keys only to people with one.
  package func choose(_ policy: DeliveryPolicy) async throws {
    guard try self.policy() != policy || stored().isStateUnsent else { return }
    let now = dependencies.now()
    try keepState { $0.policy.choose(policy, at: now) }
    try await shareState()
  }

  /// Seals the keys of a zone or share to the owner and the invited participants.
  ///
  /// A device of the owner calls this when participants join or leave. After a participant leaves,
  /// there is a new key, which is not sealed to that participant. The owner's signature covers the
  /// list of recipients, so the server cannot add any.
  ///
  /// - Parameters:
  ///   - proofs: The proofs of joined people that they have a link.
  ///   - administrators: The participants who manage others, according to the server; nil for no
  ///     change. Only those to whom the program gave this role may also change the keys.
  ///   - isCurrent: Returns false if a later version of the share is known. Then recipients stay.
  package func deliverKeys(
    of scope: KeyScope, to participants: Set<String>, proofs: [String: [UInt8]] = [:],
    administrators: Set<String>? = nil, isCurrent: @Sendable () -> Bool = { true }
  ) async throws -> KeyDelivery {
    try requireOwner(of: scope)
    // Reading the ring takes over the decisions of administrators about people.
    if try stored().rings[scope]?.administrators.isEmpty == false {
      _ = try await changeRing(scope, makesFirst: false) { $0 }
    }
    let guests = participants.subtracting([account.userRecordName])
    try await admit(guests, proofs: proofs, to: scope)
    try await exchangeRoles(of: administrators ?? [], in: scope)
    let intents = try stored().intents(of: scope)
    let people = try await trusted(guests.filter { intents.isWanted($0) == true }.sorted())
    let verified = try stored().state.requiredIdentities
    let plan = DeliveryPlan(
      owner: try userKeys().identity, guests: guests, intents: intents,
      people: people.requiring(verified), verified: verified)
    var isRotated = false
    let ring = try await changeRing(scope, makesFirst: true) { ring in
      guard isCurrent() else { return ring }
      let wanted = plan.ring(
        from: ring, administrators: administrators, self.dependencies.randomBytes)
      isRotated = ring.recipients.contains { !wanted.recipients.contains($0) }
      if isRotated { try self.markForResealing(scope) }
      return wanted
    }
    confirmed.insert(scope)
    let delivery = plan.delivery(of: ring, isRotated: isRotated)
    if isCurrent() { try keepChange { $0.recordRequests(delivery, to: scope) } }
    // The user's other devices must learn of the new key, and of the invitations of waiting people.
    if isRotated || !delivery.waiting.isEmpty { await sendState() }
    return delivery
  }

  /// Exchanges decisions about roles with the user's other devices, before this device signs them.
  ///
  /// A device takes away a role that it sees in the share but does not know. So the other devices
  /// must learn the roles that this device gave, and this device must learn theirs.
  private func exchangeRoles(of administrators: Set<String>, in scope: KeyScope) async throws {
    guard !administrators.isEmpty else { return }
    await sendState()
    let known = try stored().intents(of: scope)
    if administrators.contains(where: { known.isAdministrator($0) == false }) {
      try? await shareState()
    }
  }

  /// Returns the ring of a zone or share on this device; nil if there is none.
  package func localRing(of scope: KeyScope) throws -> KeyRing? { try stored().rings[scope] }

  /// Fetches a user's current public keys from the server, or nil if there are none.
  package func identity(of user: String) async throws -> PublicIdentity? {
    try await fetchIdentities(of: [user])[0].get()
  }

  // MARK: Trust

  /// Returns another user's trusted keys; without any, trusts the keys that the server shows.
  ///
  /// - Returns: Nil if the user has no keys yet.
  package func person(_ user: String) async throws -> PersonKeys? {
    let offered = try await identity(of: user)
    if let offered { try pin([offered]) }
    guard let known = try stored().people[user] else { return nil }
    return PersonKeys(known, offered: offered, own: try userKeys().identity)
  }

  /// Returns the users whose keys this device trusts, in order.
  package func people() throws -> [KnownPerson] {
    try stored().people.values.sorted { $0.identity.userRecordName < $1.identity.userRecordName }
  }

  /// Records that both users have seen the same digits.
  ///
  /// If the digits belong to keys other than the trusted ones, this device trusts those keys from
  /// now on. All scopes with keys that were sealed to the former keys get new keys.
  ///
  /// - Returns: Whether the digits belong to the user's keys.
  package func verify(_ user: String, safetyNumber: String) async throws -> Bool {
    let own = try userKeys().identity
    let belongs = { (identity: PublicIdentity) in
      Digits.typed(SafetyNumber.text(of: own, and: identity)) == Digits.typed(safetyNumber)
    }
    if let known = try stored().people[user], belongs(known.identity) {
      let moment = KnownPerson.Moment(dependencies)
      try keepState { $0.people[user]?.verify(at: moment) }
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
    try await deliverToVerified(user)
    return true
  }

  /// Delivers the keys to an invited person who waited for the confirmation.
  private func deliverToVerified(_ user: String) async throws {
    let stored = try stored()
    for (scope, users) in stored.keyRequests.sorted(by: { $0.key < $1.key })
    where users.contains(user) && stored.state.intents[scope]?.isWanted(user) == true {
      _ = try await deliver(scope, alsoTo: user)
    }
  }

  /// Gives the user's scopes new keys that a recipient's former keys cannot open.
  private func replace(_ former: PublicIdentity, by present: PublicIdentity) async throws {
    let scopes = try stored().rings.filter { $0.value.recipients.contains(former) }.keys
    for scope in scopes.sorted() where isOwner(of: scope) {
      try markForResealing(scope)
      _ = try await changeRing(scope, makesFirst: false) {
        $0.replacing(former, by: present, self.dependencies.randomBytes)
      }
    }
  }

  /// Trusts the first keys that this device sees of each user.
  func pin(_ identities: [PublicIdentity]) throws {
    let moment = KnownPerson.Moment(dependencies)
    try keepState { $0.pin(identities, at: moment) }
  }

  /// Returns the identity that this device trusts for a user: the first one that it saw.
  func trustedIdentity(of user: String) async throws -> PublicIdentity {
    if let known = try stored().people[user] { return known.identity }
    guard let identity = try await identity(of: user) else {
      throw EncryptionError.withoutKeys(user)
    }
    try pin([identity])
    return try stored().people[user]?.identity ?? identity
  }

  func trusted(_ names: [String]) async throws -> TrustedPeople {
    let identities = try await fetchIdentities(of: names)
    try pin(identities.compactMap { try? $0.get() })
    return TrustedPeople(names, offered: identities, known: try stored().people)
  }

  func fetchIdentities(
    of users: [String]
  ) async throws -> [Result<PublicIdentity?, EncryptionError>] {
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

/// Another user's trusted keys, and the safety numbers to compare.
package struct PersonKeys: Hashable, Sendable {
  package let known: KnownPerson
  /// The digits of the trusted keys, which both users compare.
  package let safetyNumber: String
  /// The digits of other keys that the server shows for the user; nil if it shows the trusted ones.
  package let changedSafetyNumber: String?

  /// - Parameters:
  ///   - offered: The keys that the server shows; nil for none.
  ///   - own: The user's own keys.
  init(_ known: KnownPerson, offered: PublicIdentity?, own: PublicIdentity) {
    self.known = known
    safetyNumber = SafetyNumber.text(of: own, and: known.identity)
    changedSafetyNumber = offered.flatMap {
      $0 == known.identity ? nil : SafetyNumber.text(of: own, and: $0)
    }
  }
}
