import CloudRecords
import Cryptography

/// Links to shares, by which the owner and the person who joins verify each other's keys.
///
///     link ──another channel──▶ join: pins the owner's keys ──proof, by the server──▶ deliverKeys
extension EncryptionEngine {
  /// Returns the link to one of the user's zones or shares.
  ///
  /// People with the link get the keys until it is withdrawn, so it must go through a channel that
  /// the server cannot read.
  package func link(to scope: KeyScope) async throws -> ShareLink {
    try requireOwner(of: scope)
    if try stored().state.links[scope]?.current == nil {
      let (secret, now) = (
        dependencies.randomBytes(ShareLink.secretByteCount), dependencies.now()
      )
      try keepState { $0.links[scope, default: LinkSecrets()].add(secret, at: now) }
    }
    // Each of the user's devices must be able to check a proof.
    if try stored().isStateUnsent { try await shareState() }
    guard let secret = try stored().state.links[scope]?.current else {
      throw EncryptionError.busy("The link of \(scope.name)")
    }
    return ShareLink(secret: secret, owner: try userKeys().identity)
  }

  /// Withdraws all links to a zone or share.
  ///
  /// People who join by them afterwards wait for the user's decision.
  package func withdrawLinks(to scope: KeyScope) async throws {
    try requireOwner(of: scope)
    let stored = try stored()
    guard stored.state.links[scope]?.current != nil || stored.isStateUnsent else { return }
    try keepState { $0.links[scope]?.withdraw() }
    try await shareState()
  }

  /// Compares the owner's keys with a link, trusts them, and returns the proof that this user has
  /// the link.
  ///
  /// - Throws: ``EncryptionError/Code/identityChanged`` if the link names other keys of the owner.
  package func join(_ scope: KeyScope, by link: ShareLink) async throws -> [UInt8] {
    let (own, owner) = (try userKeys().identity, scope.zone.ownerName)
    guard owner != account.userRecordName else {
      return link.proof(of: own, for: scope, in: account.container)
    }
    var known = try stored().people[owner]?.identity
    if known == nil {
      guard let offered = try await identity(of: owner) else {
        throw EncryptionError.withoutKeys(owner)
      }
      if offered.fingerprint == link.owner { try pin([offered]) }
      known = offered
    }
    guard known?.fingerprint == link.owner else { throw EncryptionError.otherOwner(owner) }
    return link.proof(of: own, for: scope, in: account.container)
  }

  /// Invites people who prove that they have a link, if the user has not decided about them.
  ///
  /// A proof is valid only for the trusted keys. Without a valid proof, the person waits for a
  /// decision.
  func admit(_ guests: Set<String>, proofs: [String: [UInt8]], to scope: KeyScope) async throws {
    let candidates = try stored().intents(of: scope).undecided(among: guests)
      .filter { proofs[$0] != nil }.sorted()
    guard !candidates.isEmpty else { return }
    let identities = try await fetchIdentities(of: candidates).compactMap { try? $0.get() }
    func proven() throws -> [PublicIdentity] {
      let owner = try userKeys().identity
      return try stored().state.links[scope]?.proven(
        identities, by: proofs, owner: owner, scope, account.container) ?? []
    }
    // Another device of the user may have created the link, or decided about a person.
    if try proven().count < identities.count { try await shareState() }
    let still = try stored().intents(of: scope).undecided(among: guests)
    let admitted = try proven().filter { still.contains($0.userRecordName) }
    // The proofs are valid for these keys, and not for others that the server may show next.
    try pin(admitted)
    let people = try stored().people
    let trusted = admitted.filter { people[$0.userRecordName]?.identity == $0 }
    if !trusted.isEmpty {
      try decide(on: scope, ShareDecisions(admitting: Set(trusted.map(\.userRecordName))))
    }
  }
}
