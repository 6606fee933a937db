package import CloudRecords

extension Accounts {
  /// Finds out who asks.
  ///
  /// An API token alone is an application without a user; a web token beside it is a user of the application; a signature is a
  /// server's key. Which of these an operation takes, its permission decides.
  ///
  /// - Throws: `AUTHENTICATION_FAILED` for whatever is wrong, without a word on what: credentials that are missing, malformed, unknown, of
  ///   another container, expired or revoked, or of both kinds. What is right and was sent before is told so.
  package func authenticate(_ credentials: Credentials) async throws(CloudError) -> Authentication {
    let (apiToken, webToken) = (Self.given(credentials.apiToken), Self.given(credentials.webToken))
    if let signature = credentials.signature {
      guard apiToken == nil, webToken == nil else { throw Self.failure() }
      return try await authenticate(signature, credentials)
    }
    guard let apiToken else { throw Self.failure() }
    let application = try await application(apiToken: apiToken, origin: credentials.origin)
    guard let application, application.container == credentials.container else { throw Self.failure() }
    let redirectURL = redirectURL(apiToken)
    guard let webToken else {
      return Authentication(
        caller: .anonymous, container: application.container, realm: application.realm, redirectURL: redirectURL)
    }
    return try await authenticate(webToken, in: application, redirectURL)
  }

  private func authenticate(
    _ webToken: String, in application: APIToken, _ redirectURL: String?
  ) async throws(CloudError) -> Authentication {
    // A user whose token is over can sign in again: the client is told where, as if there were no token.
    guard let token = Secret(text: webToken), let used = try await use(token),
      used.session.realm == application.realm
    else { throw Self.failure(redirectURL) }
    return Authentication(
      caller: .user(used.session.userRecordName), container: application.container, realm: application.realm,
      session: used.session.identifier, webToken: used.next.text, redirectURL: redirectURL)
  }

  private func authenticate(
    _ signature: RequestSignature, _ credentials: Credentials
  ) async throws(CloudError) -> Authentication {
    guard let date = RequestDate.time(signature.date), abs(date.milliseconds - now.milliseconds) <= skew,
      let known = try await serverKey(signature.keyIdentifier), known.key.isGood(at: now),
      known.key.container == credentials.container, let proof = signature.proof(by: known.verifier)
    else { throw Self.failure() }
    var authentication = Authentication(
      caller: .server(userRecordName(of: known.key)), container: credentials.container, realm: known.key.realm)
    if credentials.isChanging { authentication.taken = try take(proof, dated: date, of: known.key) }
    return authentication
  }

  /// Takes the signature of a request that changes something.
  ///
  /// - Throws: `AUTHENTICATION_FAILED` where it was taken before; `TRY_AGAIN_LATER` where that cannot be known.
  private func take(
    _ signature: TakenSignatures.Fingerprint, dated date: Timestamp, of key: ServerKey
  ) throws(CloudError) -> TakenSignatures.Mark {
    guard date >= remembersSince else {
      let wait = (remembersSince.milliseconds - date.milliseconds + 999) / 1_000
      throw CloudError(
        .tryAgainLater,
        "The request was signed before the server started, which so cannot know whether it was sent before. Sign it anew.",
        retryAfterSeconds: Int(wait))
    }
    let end = Timestamp(milliseconds: date.milliseconds + skew)
    switch takenSignatures.take(signature, of: key.identifier, goodUntil: end, at: now) {
    case .taken(let mark): return mark
    case .seen:
      throw CloudError(
        .authenticationFailed,
        "The request was sent before, with this signature. Look whether it was done; to send it again, sign it anew.")
    case .full:
      throw CloudError(.throttled, "The key signs more than the server can remember. Wait.", retryAfterSeconds: 60)
    }
  }

  /// Lets a signature be sent again: the request was refused before anything was done.
  package func giveBack(_ authentication: Authentication) {
    if let mark = authentication.taken { takenSignatures.giveBack(mark) }
  }

  private var skew: Int64 { settings.signatureSeconds * 1_000 }

  private func redirectURL(_ apiToken: String) -> String? {
    settings.signInAddress.isEmpty ? nil : "\(settings.signInAddress)?ckAPIToken=\(apiToken)"
  }

  private static func given(_ text: String?) -> String? { text.flatMap { $0.isEmpty ? nil : $0 } }

  private static func failure(_ redirectURL: String? = nil) -> CloudError {
    CloudError(.authenticationFailed, "The request's credentials were not accepted.", redirectURL: redirectURL)
  }
}
