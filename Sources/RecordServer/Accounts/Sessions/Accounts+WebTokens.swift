import CloudRecords

extension Accounts {
  /// A valid web token.
  struct ValidatedToken: Hashable, Sendable {
    var session: Session
    /// The token for the response: the same one, or its successor.
    var next: Secret
  }

  /// Uses a web token; returns nil if it is invalid.
  ///
  /// Almost always this only reads memory. The storage is written when a token gets a successor,
  /// and when a successor is first used.
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

  /// A token's successor: the one already issued, or the one that the current secret derives.
  private func successor(of token: Secret, in session: Session) -> Secret {
    let possible = signing.valid(at: now).map { ServerSecret(bytes: $0).successor(of: token) }
    return possible.first { successor in session.tokens.contains { $0.hash == successor.hash } }
      ?? possible[0]
  }

  /// Repeats the decision with the stored session, and saves the result.
  ///
  /// Of several concurrent requests, one writes the change, and the others find it stored.
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
