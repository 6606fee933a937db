package import CloudRecords
import CloudWire
import Cryptography

/// The key rings of zones and shares.
extension EncryptionEngine {
  /// Compares the keys of a zone or share with those on the server.
  ///
  /// Call it when a share has changed, so that no value is sealed under a key that a removed
  /// participant has.
  package func refreshKeys(of scope: KeyScope) async throws {
    if isOwner(of: scope) {
      if try await changeRing(scope, makesFirst: false, { $0 }) == nil {
        throw EncryptionError.noKeys(scope)
      }
    } else {
      try await fetchRing(scope)
    }
    confirmed.insert(scope)
  }

  /// Makes the engine compare the zone's keys with the server's before their next use, because the
  /// server has rejected a value under an old key.
  package func recheckKeys(of zone: RecordZoneIdentifier) {
    confirmed = confirmed.filter { $0.zone != zone }
  }

  /// Creates a new key for one of the user's own zones or shares.
  ///
  /// New values are sealed under it.
  package func rotateKeys(of scope: KeyScope) async throws {
    try requireOwner(of: scope)
    _ = try await changeRing(scope, makesFirst: true) { $0.rotated(self.dependencies.randomBytes) }
    confirmed.insert(scope)
  }

  /// Removes the keys of a zone that was deleted.
  ///
  /// The `RingMarks` of its rings stay, so that a key of the user's deleted zone never seals again.
  package func forgetKeys(of zone: RecordZoneIdentifier) throws {
    let isOwn = zone.ownerName == account.userRecordName
    try keep { $0.forget(zone, isOwn: isOwn) }
    confirmed = confirmed.filter { $0.zone != zone }
  }

  /// Returns the ring to seal with.
  ///
  /// The owner creates it if it does not exist.
  func ring(of scope: KeyScope) async throws -> KeyRing {
    if confirmed.contains(scope), let ring = try stored().rings[scope] { return ring }
    let ring: KeyRing
    if isOwner(of: scope) {
      guard let made = try await changeRing(scope, makesFirst: true, { $0 }) else {
        throw EncryptionError.noKeys(scope)
      }
      ring = made
    } else {
      ring = try await fetchRing(scope)
    }
    confirmed.insert(scope)
    return ring
  }

  func isOwner(of scope: KeyScope) -> Bool { scope.zone.ownerName == account.userRecordName }

  func requireOwner(of scope: KeyScope) throws {
    guard !isOwner(of: scope) else { return }
    throw EncryptionError.notOwner(scope)
  }
}

// MARK: - The user's own zones

extension EncryptionEngine {
  /// Changes a ring, and retries if another device changed it at the same time.
  ///
  /// Keys that only this device has are restored: a ring never loses a key. Nothing is written if
  /// nothing changes.
  ///
  /// - Parameter makesFirst: Whether to create a ring if there is none.
  /// - Returns: The current ring, or nil if there is none.
  func changeRing(
    _ scope: KeyScope, makesFirst: Bool, _ change: (KeyRing) throws -> KeyRing
  ) async throws -> KeyRing? {
    for _ in 0..<Limits.attempts {
      let keys = try userKeys()
      let bag = try await exchange.bag(at: scope.place, in: .private)
      let read = OwnRing(bag?.data, scope, account.container, keys)
      if read.isUntrusted, try await !areCurrent(keys) { continue }
      let stored = try stored()
      let (kept, marks) = (stored.rings[scope], stored.marks(of: scope))
      let remote = try read.ring(isKept: kept != nil)
      // The decisions of administrators about people are stored before the owner signs the ring.
      if let decisions = stored.administratorDecisions(in: remote) {
        try decide(on: scope, decisions)
      }
      let merge = RingMerge(scope: scope, owner: keys.identity, marks: marks)
      guard
        let known = merge.ring(
          remote: remote, kept: kept, isThere: bag != nil, makesFirst: makesFirst,
          dependencies.randomBytes)
      else { return nil }
      let wanted = try change(known)
      if let remote, wanted.hasSameContents(as: remote), kept?.isLater(than: remote) != true {
        return try keepRing(remote)
      }
      let last = [remote, kept].compactMap { $0?.lastAdministratorEpoch }.max() ?? 0
      let next = wanted.following(epoch: max(read.epoch, last, marks.epoch(of: wanted)))
      let isSaved = try await exchange.save(
        next, of: account, signedBy: keys, over: bag, in: .private, dependencies.randomBytes)
      if isSaved { return try keepRing(next) }
    }
    throw EncryptionError.busy("The key bag of \(scope.name)")
  }

  /// Whether these keys are the user's current keys.
  ///
  /// If other keys have signed the bag on the server, this device has old keys. Those must not
  /// overwrite the bag, and must not seal anything.
  ///
  /// - Returns: False if another process of this device has the current keys now.
  private func areCurrent(_ keys: UserKeys) async throws -> Bool {
    let fetched = try await exchange.bag(at: .privateUser, in: .private)
    // A bag that cannot be read does not prove that there are other keys.
    let bag = fetched.flatMap { try? PrivateBag($0, account: account) }
    guard let present = bag?.identity, present != keys.identity else { return true }
    confirmed = []
    _ = try reloadStored()
    guard try userKeys().identity == present else { throw EncryptionError.replaced(account) }
    return false
  }

  /// Stores a ring, unless a later one was stored during the request.
  ///
  /// - Returns: The stored ring.
  func keepRing(_ ring: KeyRing) throws -> KeyRing {
    try keepChange { $0.keepRing(ring) }
    return try stored().rings[ring.scope] ?? ring
  }
}

// MARK: - Zones that others share

extension EncryptionEngine {
  /// Fetches the keys that the owner sealed to this user.
  @discardableResult
  func fetchRing(_ scope: KeyScope) async throws -> KeyRing {
    let (keys, owner) = (try userKeys(), try await trustedIdentity(of: scope.zone.ownerName))
    // Twice, because the fetched ring may have become stale during a concurrent fetch.
    for _ in 0..<2 {
      guard let bag = try await exchange.bag(at: scope.place, in: .shared) else {
        throw EncryptionError.noKeys(scope)
      }
      let ring = try await sharedRing(bag, scope, owner, keys)
      if try !stored().marks(of: scope).isOutdated(ring) {
        return try keepRing(stored().rings[scope].map(ring.merging) ?? ring)
      }
    }
    throw EncryptionError.rolledBack(scope)
  }

  /// Opens a shared ring.
  ///
  /// If the owner's signature does not match, it distinguishes changed keys of the owner from a
  /// forged bag.
  func sharedRing(
    _ bag: FetchedBag, _ scope: KeyScope, _ owner: PublicIdentity, _ keys: UserKeys
  ) async throws -> KeyRing {
    do {
      return try KeyRingBag.ring(
        of: bag.data, scope: scope, in: account.container, owner: owner, reader: keys)
    } catch let error where error.code == .forgedBag {
      guard let present = try await identity(of: owner.userRecordName), present != owner else {
        throw error
      }
      throw EncryptionError.changed([owner.userRecordName])
    }
  }
}
