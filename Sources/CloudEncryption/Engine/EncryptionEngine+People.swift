package import CloudRecords
import CloudWire

/// Other people's public keys, and the keys that are sealed to them.
extension EncryptionEngine {
  /// What came of handing out keys.
  package struct KeyDelivery: Hashable, Sendable {
    /// Those who can open what is sealed now, but for the owner, in order.
    package var handed: [String]
    /// Those who never used encryption, so that nothing can be sealed to them yet: try again when
    /// they did.
    package var waiting: [String]
    /// Those whose public key is not the one that this device knows: compare safety numbers, and
    /// trust the new one.
    package var changed: [String]
    /// Somebody lost access: records that are there should be sealed anew (`needsSealingAnew`).
    package var isRotated: Bool
  }

  /// Seals the keys of a zone or share for exactly those who take part in it, besides the owner.
  ///
  /// To be called by a device of the owner's when participants come or go. When somebody goes,
  /// there is a new key, which is not sealed for who went.
  package func handKeys(of scope: KeyScope, to participants: Set<String>) async throws
    -> KeyDelivery
  {
    try requireOwner(of: scope)
    let names = participants.subtracting([account.userRecordName]).sorted()
    let people = try await trusted(names)
    let owner = try userKeys().identity
    var isRotated = false
    let ring = try await changeRing(scope, makesFirst: true) { ring in
      // Who has other keys than those that are trusted, or none any more, keeps what was sealed to
      // the former ones.
      let former = ring.recipients.filter {
        (people.changed + people.waiting).contains($0.userRecordName)
      }
      let wanted = ring.handed(to: [owner] + people.known + former, self.dependencies.randomBytes)
      isRotated = wanted.newest != ring.newest
      if isRotated { try self.noteToSealAnew(scope) }
      return wanted
    }
    confirmed.insert(scope)
    let handed = (ring?.recipients ?? []).map(\.userRecordName).filter {
      $0 != account.userRecordName
    }
    return KeyDelivery(
      handed: handed.filter { !people.changed.contains($0) }, waiting: people.waiting,
      changed: people.changed,
      isRotated: isRotated)
  }

  /// Whether this device has keys of a zone or share.
  package func hasKeys(of scope: KeyScope) -> Bool { (try? stored().rings[scope]) != nil }

  /// The public keys of somebody as the server has them now; nil where there are none.
  package func identity(of user: String) async throws -> PublicIdentity? {
    try await fetchIdentities(of: [user])[0]
  }

  /// Digits that are the same on a device of somebody else's if the server told both the truth.
  package func safetyNumber(with other: PublicIdentity) throws -> String {
    SafetyNumber.text(of: try userKeys().identity, and: other)
  }

  /// Takes somebody's public keys for true from now on, after the digits were compared.
  package func trust(_ identity: PublicIdentity) throws {
    try keep { $0.trusted[identity.userRecordName] = identity }
    confirmed = []
  }

  // MARK: Trust

  /// The identity that this device takes for somebody's: the first that it saw.
  func trustedIdentity(of user: String) async throws -> PublicIdentity {
    if let known = try stored().trusted[user] { return known }
    guard let identity = try await fetchIdentities(of: [user])[0] else {
      throw EncryptionError(
        .keysNotHandedOut,
        "The user “\(user)” has no public keys, so nothing that comes from there can be believed. A device of the user's must be started with encryption."
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
      "The public keys of the user “\(user)” are not those that this device knows: the user reset them, or the server gives false ones. Compare safety numbers, then trust the new ones."
    )
  }
}

extension ShareDetails {
  /// Those whom the keys of the share are for: who was asked by name or has come, and was not
  /// removed.
  package var keyRecipients: Set<String> {
    Set(
      participants.filter {
        $0.acceptance != .removed && ($0.permission != .none || $0.role == .owner)
      }
      .compactMap(\.identity.userRecordName))
  }
}
