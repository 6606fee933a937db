package import CloudRecords
import RecordStorage

extension Accounts {
  /// Creates an API token for an application, and its container if it does not exist.
  ///
  /// - Returns: The token's text, which cannot be shown again, and the stored token.
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

  /// Throws if an expiry date is in the past, which usually means that seconds were given instead
  /// of milliseconds.
  func checkEnd(_ expires: Timestamp?) throws(CloudError) {
    guard let expires, expires <= now else { return }
    throw CloudError(
      .badRequest,
      "“expires” is \(expires.milliseconds), which is not in the future. It is a time in milliseconds since 1970; now is \(now.milliseconds)."
    )
  }

  /// All API tokens, including revoked ones, oldest first.
  package func listAPITokens() async throws(CloudError) -> [APIToken] {
    try await read { transaction in
      try transaction.entries(in: AccountKeys.apiTokens).map { try APIToken(bytes: $0.value) }
        .sorted { ($0.created, $0.identifier) < ($1.created, $1.identifier) }
    }
  }

  /// Revokes an API token; the server then rejects all requests that use it.
  ///
  /// - Throws: `NOT_FOUND` if there is no token with this identifier.
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

  /// The stored API token of a text; nil if the token is invalid, or not allowed for the origin.
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
