import CloudRecords
import CloudWire

/// Changes of a ring by an administrator of another user's share.
///
///     the owner's device certifies administrators in the bag (`RingAuthority`)
///     an administrator removes a person ──▶ new key, bag signed by the administrator
///     the owner's device reads it ──▶ takes over the keys and the decisions, and signs again
extension EncryptionEngine {
  /// Gives keys of another user's zone or share to people whom this administrator invited, and
  /// creates a new key that removed people do not get.
  ///
  /// - Throws: ``EncryptionError/Code/notOwner`` if the owner's bag does not name this user as an
  ///   administrator, or if administrators must wait for the owner's next write.
  package func administer(_ scope: KeyScope, _ decisions: ShareDecisions) async throws {
    let (keys, owner) = (try userKeys(), try await trustedIdentity(of: scope.zone.ownerName))
    let removed = decisions.removed
    let people = try await trusted(decisions.people.keys.filter { !removed.contains($0) }.sorted())
    for _ in 0..<Limits.attempts {
      guard let bag = try await exchange.bag(at: scope.place, in: .shared) else {
        throw EncryptionError.noKeys(scope)
      }
      let ring = try await sharedRing(bag, scope, owner, keys)
      guard try !stored().marks(of: scope).isOutdated(ring) else {
        throw EncryptionError.rolledBack(scope)
      }
      guard ring.administrators.contains(keys.identity) else {
        throw EncryptionError.notAdministrator(scope)
      }
      let known = try stored().rings[scope].map(ring.merging) ?? ring
      let wanted = decisions.applied(to: known, inviting: people.known, dependencies.randomBytes)
      if wanted.hasSameContents(as: ring) {
        _ = try keepRing(ring)
        return
      }
      let next = wanted.followingByAdministrator(epoch: max(ring.epoch, known.epoch))
      // Devices reject later epochs until the owner's device writes the ring.
      guard next.epoch <= ring.lastAdministratorEpoch else {
        throw EncryptionError.notAdministrator(scope)
      }
      let isSaved = try await exchange.save(
        next, of: account, signedBy: keys, over: bag, in: .shared, dependencies.randomBytes)
      guard isSaved else { continue }
      _ = try keepRing(next)
      confirmed.insert(scope)
      return
    }
    throw EncryptionError.busy("The key bag of \(scope.name)")
  }
}
