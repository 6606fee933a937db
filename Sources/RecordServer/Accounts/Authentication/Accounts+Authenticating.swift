package import CloudRecords

extension Accounts {
  /// Authenticates a request.
  ///
  /// An API token alone identifies an application without a user. An API token and a web token
  /// identify a user of the application. A signature identifies a server's key. Each operation's
  /// permission decides which of these it accepts.
  ///
  /// - Parameter network: The network address of the request, for which rejections are counted.
  ///   With nil, nothing is counted.
  /// - Throws: `AUTHENTICATION_FAILED`, without the reason, for credentials that are malformed,
  ///   unknown, expired, revoked, mixed or foreign; also with `API_TOKEN_REFUSED` for an API token,
  ///   because signing in again would not help. `TRY_AGAIN_LATER` for a signature older than the
  ///   replay cache. `THROTTLED` after too many rejections or signatures.
  package func authenticate(
    _ credentials: Credentials, from network: String? = nil
  ) async throws(CloudError) -> Authentication {
    try await checkCredentials(credentials, from: network) { () async throws(CloudError) in
      try await verify(credentials)
    }
  }

  /// Rejects a signed request by its headers alone, before its body is buffered.
  ///
  /// This method verifies the key identifier, the date and the form of the signature. The signature
  /// itself covers the body; `authenticate` verifies it.
  package func checkHead(_ credentials: Credentials, from network: String?) async throws(CloudError)
  {
    try await checkCredentials(credentials, from: network) { () async throws(CloudError) in
      guard let signature = credentials.signature, Self.given(credentials.apiToken) == nil,
        Self.given(credentials.webToken) == nil, signature.bytes != nil
      else { throw Self.failure() }
      _ = try await key(of: signature, credentials)
    }
  }

  private func verify(_ credentials: Credentials) async throws(CloudError) -> Authentication {
    let (apiToken, webToken) = (Self.given(credentials.apiToken), Self.given(credentials.webToken))
    if let signature = credentials.signature {
      guard apiToken == nil, webToken == nil else { throw Self.failure() }
      return try await authenticate(signature, credentials)
    }
    guard let apiToken else { throw CloudError.apiTokenMissing(for: credentials.container) }
    guard
      let application = try await application(apiToken: apiToken, origin: credentials.origin),
      application.container == credentials.container
    else { throw CloudError.apiTokenRefused(for: credentials.container) }
    let redirectURL = redirectURL(apiToken)
    guard let webToken else {
      return Authentication(
        caller: .anonymous, container: application.container, realm: application.realm,
        redirectURL: redirectURL)
    }
    return try await authenticate(webToken, in: application, redirectURL)
  }

  private func authenticate(
    _ webToken: String, in application: APIToken, _ redirectURL: String?
  ) async throws(CloudError) -> Authentication {
    // A user whose token has expired can sign in again: the client gets the address, as if it had
    // sent no token.
    guard let token = Secret(text: webToken), let used = try await use(token),
      used.session.realm == application.realm
    else { throw Self.failure(redirectURL) }
    return Authentication(
      caller: .user(used.session.userRecordName), container: application.container,
      realm: application.realm,
      session: used.session.identifier, webToken: used.next.text, redirectURL: redirectURL)
  }

  private func authenticate(
    _ signature: RequestSignature, _ credentials: Credentials
  ) async throws(CloudError) -> Authentication {
    let (known, date) = try await key(of: signature, credentials)
    guard let proof = signature.proof(by: known.verifier) else { throw Self.failure() }
    var authentication = Authentication(
      caller: .server(userRecordName(of: known.key)), container: credentials.container,
      realm: known.key.realm)
    if credentials.isChanging { authentication.taken = try take(proof, dated: date, of: known.key) }
    return authentication
  }

  /// The key that a request names, and the date of its signature, if both are valid for the
  /// container.
  private func key(
    of signature: RequestSignature, _ credentials: Credentials
  ) async throws(CloudError) -> (key: UsableServerKey, date: Timestamp) {
    guard let date = RequestDate.time(signature.date),
      abs(date.milliseconds - now.milliseconds) <= skew,
      let known = try await serverKey(signature.keyIdentifier), known.key.isGood(at: now),
      known.key.container == credentials.container
    else { throw Self.failure() }
    return (known, date)
  }

  /// Consumes the signature of a changing request.
  ///
  /// - Throws: `AUTHENTICATION_FAILED` if the signature was already used; `TRY_AGAIN_LATER` if it
  ///   is older than the replay cache; `THROTTLED` if the key has used too many signatures.
  private func take(
    _ signature: UsedSignatures.Fingerprint, dated date: Timestamp, of key: ServerKey
  ) throws(CloudError) -> UsedSignatures.Mark {
    guard date >= remembersSince else {
      let wait = (remembersSince.milliseconds - date.milliseconds + 999) / 1_000
      throw CloudError(
        .tryAgainLater,
        "The request is older than the server's start, so it may be a replay. Sign it again.",
        retryAfterSeconds: Int(wait))
    }
    let end = Timestamp(milliseconds: date.milliseconds + skew)
    switch takenSignatures.take(signature, of: key.identifier, goodUntil: end, at: now) {
    case .taken(let mark): return mark
    case .seen:
      throw CloudError(
        .authenticationFailed,
        "This signature was used before. Check whether it was carried out; if not, sign it again.")
    case .full:
      throw CloudError(
        .throttled, "The key signs more requests than the server can remember. Wait.",
        retryAfterSeconds: 60)
    }
  }

  /// Releases a signature, so that a request that was rejected without effect can be sent again.
  package func giveBack(_ authentication: Authentication) {
    if let mark = authentication.taken { takenSignatures.giveBack(mark) }
  }

  private var skew: Int64 { settings.signatureSeconds * 1_000 }

  private func redirectURL(_ apiToken: String) -> String? {
    settings.signInAddress.isEmpty ? nil : "\(settings.signInAddress)?ckAPIToken=\(apiToken)"
  }

  private static func given(_ text: String?) -> String? { text.flatMap { $0.isEmpty ? nil : $0 } }

  private static func failure(_ redirectURL: String? = nil) -> CloudError {
    CloudError(
      .authenticationFailed, "The request's credentials were not accepted.",
      redirectURL: redirectURL)
  }
}

extension CloudError {
  fileprivate static func apiTokenMissing(for address: ContainerAddress) -> CloudError {
    CloudError(
      .authenticationFailed,
      "The request has no API token for \(name(of: address)), and names no development user.",
      extension: .apiTokenRefused)
  }

  /// One error for an API token that is unknown, revoked, expired, or for another container,
  /// environment or origin.
  fileprivate static func apiTokenRefused(for address: ContainerAddress) -> CloudError {
    CloudError(
      .authenticationFailed,
      """
      The API token is not valid on this server for \(name(of: address)). Check the token, the \
      container and the environment; “parhelion token list” names the tokens.
      """,
      extension: .apiTokenRefused)
  }

  private static func name(of address: ContainerAddress) -> String {
    "the container \(address.container.cut(toBytes: 100)) in \(address.environment.rawValue)"
  }
}
