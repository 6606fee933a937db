package import CloudRecords
import RecordStorage

extension Accounts {
  /// Makes an API token for an application, and its container where that is new.
  ///
  /// - Returns: The token's text, which cannot be shown again, and what was stored.
  package func createAPIToken(
    for container: ContainerAddress, label: String = "", allowedOrigins: [String] = [],
    callbackURL: String? = nil,
    expires: Timestamp? = nil
  ) async throws(CloudError) -> (text: String, token: APIToken) {
    try checkEnd(expires)
    var origins: [String] = []
    for origin in allowedOrigins { origins.append(try WebAddress.origin(origin)) }
    let secret = Secret(bytes: settings.randomBytes(Secret.byteCount))
    let token = APIToken(
      identifier: secret.hash.identifier, container: container,
      realm: try await server.makeRealm(of: container),
      label: label, allowedOrigins: origins, callbackURL: try callbackURL.map(WebAddress.callback),
      created: now,
      expires: expires, revoked: nil)
    try await write { transaction in
      try transaction.set(token.bytes, for: AccountKeys.apiToken(secret.hash))
    }
    return (secret.text, token)
  }

  /// Refuses what has ended before it begins: somebody meant seconds, as a rule.
  func checkEnd(_ expires: Timestamp?) throws(CloudError) {
    guard let expires, expires <= now else { return }
    throw CloudError(
      .badRequest,
      "“expires” is \(expires.milliseconds), which is not in the future. It is a time in milliseconds since 1970; now is \(now.milliseconds)."
    )
  }

  /// All API tokens, those that were revoked included, the oldest first.
  package func listAPITokens() async throws(CloudError) -> [APIToken] {
    try await read { transaction in
      try transaction.entries(in: AccountKeys.apiTokens).map { try APIToken(bytes: $0.value) }
        .sorted { ($0.created, $0.identifier) < ($1.created, $1.identifier) }
    }
  }

  /// Revokes an API token: applications that have it are turned away, whoever uses them.
  ///
  /// - Throws: `NOT_FOUND` where there is no token of this identifier.
  package func revokeAPIToken(_ identifier: String) async throws(CloudError) {
    let time = now
    try await write { transaction in
      for entry in try transaction.entries(in: AccountKeys.apiTokens) {
        var token = try APIToken(bytes: entry.value)
        guard token.identifier == identifier else { continue }
        token.revoked = token.revoked ?? time
        return try transaction.set(token.bytes, for: entry.key)
      }
      throw CloudError(.notFound, "There is no API token “\(identifier)”.")
    }
    apiTokens.forgetAll()
  }

  /// The application that an API token names; nil where the token is not good, or not for pages of
  /// the origin.
  package func application(apiToken: String, origin: String?) async throws(CloudError) -> APIToken?
  {
    guard let hash = Secret(text: apiToken)?.hash else { return nil }
    let time = now
    let token = try await apiTokens.value(for: hash, at: time) { () async throws(CloudError) in
      try await read { transaction in
        try transaction.value(of: AccountKeys.apiToken(hash)).map { try APIToken(bytes: $0) }
      }
    }
    guard let token, token.isGood(at: time), token.allows(origin: origin) else { return nil }
    return token
  }
}
