import CloudRecords

extension Accounts {
  /// A web token that was found good.
  struct ValidatedToken: Hashable, Sendable {
    var session: Session
    /// What the answer carries: the token, or the one that follows it.
    var next: Secret
  }

  /// Uses a web token; nil where it is not good.
  ///
  /// Almost always this reads memory only. The storage is written when a token gets its successor,
  /// and when a successor is used first.
  func use(_ token: Secret) async throws(CloudError) -> ValidatedToken? {
    let (time, hash) = (now, token.hash)
    let known = try await sessions.value(for: hash, at: time) { () async throws(CloudError) in
      try await read { transaction in try SessionDirectory.session(of: hash, in: transaction) }
    }
    guard let known else { return nil }
    let use = known.use(
      of: hash, followedBy: successor(of: token, in: known).hash, at: time, settings)
    guard let use else { return nil }
    guard use.isChange else {
      return ValidatedToken(
        session: known, next: use.isFollowed ? successor(of: token, in: known) : token)
    }
    return try await change(by: token, at: time)
  }

  /// The token that follows: the one that was given already, or else the one that the current
  /// secret makes.
  private func successor(of token: Secret, in session: Session) -> Secret {
    let possible = signing.believed(at: now).map { ServerSecret(bytes: $0).successor(of: token) }
    return possible.first { successor in session.tokens.contains { $0.hash == successor.hash } }
      ?? possible[0]
  }

  /// Decides once more, on what the storage holds, and keeps the result: of parallel requests one
  /// writes, and the others find it done.
  private func change(by token: Secret, at time: Timestamp) async throws(CloudError)
    -> ValidatedToken?
  {
    let hash = token.hash
    let done = try await write { [self] transaction -> (use: Session.Use, successor: Secret)? in
      guard let session = try SessionDirectory.session(of: hash, in: transaction) else {
        return nil
      }
      let successor = successor(of: token, in: session)
      guard let use = session.use(of: hash, followedBy: successor.hash, at: time, settings) else {
        return nil
      }
      if use.isChange { try SessionDirectory.save(use, in: transaction) }
      return (use, successor)
    }
    guard let (use, successor) = done else {
      sessions.forget([hash])
      return nil
    }
    sessions.forget(use.session.tokens.map(\.hash) + use.dropped)
    return ValidatedToken(session: use.session, next: use.isFollowed ? successor : token)
  }
}
