package import CloudRecords
import CloudWire

/// The public keys of other users, and the keys that are sealed to them.
extension EncryptionEngine {
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

  /// Returns digits that two devices compare.
  ///
  /// They are equal if the server gave both the true keys.
  package func safetyNumber(with other: PublicIdentity) throws -> String {
    SafetyNumber.text(of: try userKeys().identity, and: other)
  }

  /// Trusts a user's public keys from now on, after the digits were compared.
  package func trust(_ identity: PublicIdentity) throws {
    try keep { $0.trusted[identity.userRecordName] = identity }
    confirmed = []
  }

  // MARK: Trust

  /// Returns the identity that this device trusts for a user: the first one that it saw.
  func trustedIdentity(of user: String) async throws -> PublicIdentity {
    if let known = try stored().trusted[user] { return known }
    guard let identity = try await fetchIdentities(of: [user])[0] else {
      throw EncryptionError(
        .keysNotHandedOut,
        "The user “\(user)” has no public keys, so nothing from this user can be verified. The user must first use encryption on a device."
      )
    }
    try keep { if $0.trusted[user] == nil { $0.trusted[user] = identity } }
    return try stored().trusted[user] ?? identity
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
      if try stored().trusted[name] == nil { try keep { $0.trusted[name] = identity } }
      if try stored().trusted[name] == identity {
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

  static func changed(_ user: String) -> EncryptionError {
    EncryptionError(
      .identityChanged,
      "The public keys of the user “\(user)” differ from those that this device trusts: the user reset them, or the server sends false ones. Compare safety numbers, then trust the new ones."
    )
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
