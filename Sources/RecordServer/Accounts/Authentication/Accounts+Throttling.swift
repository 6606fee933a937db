package import CloudRecords

extension Accounts {
  /// Counts a request of a caller, and returns the error if it exceeds the rate.
  ///
  /// - Parameter network: The network address, which distinguishes callers without a user.
  package func refusal(of authentication: Authentication, from network: @autoclosure () -> String)
    -> CloudError?
  {
    guard let requests else { return nil }
    let name = authentication.caller.userRecordName ?? network()
    return requests.refusal(of: "\(authentication.realm.number) \(name)", at: now)
  }

  /// Counts a request without credentials, such as one for a page.
  ///
  /// - Throws: `THROTTLED` if the network has sent too many.
  package func countRequest(from network: String) throws(CloudError) {
    try requests?.take(Self.name(ofNetwork: network), at: now)
  }

  /// Throws if a network address has had too many rejected requests, before another one is
  /// processed.
  package func checkRefusals(of network: String) throws(CloudError) {
    if let error = requests?.refusalAhead(of: Self.name(ofNetwork: network), at: now) {
      throw error
    }
  }

  /// Counts a rejected request against its network address.
  package func countRefusal(of network: String) {
    _ = requests?.refusal(of: Self.name(ofNetwork: network), at: now)
  }

  /// Verifies credentials, and counts a rejection.
  ///
  /// Recently validated credentials are accepted even if the network address is throttled.
  func checkCredentials<Result>(
    _ credentials: Credentials, from network: String?,
    _ body: () async throws(CloudError) -> Result
  ) async throws(CloudError) -> Result {
    guard let network else { return try await body() }
    if !remembers(credentials) { try checkRefusals(of: network) }
    do throws(CloudError) {
      return try await body()
    } catch {
      if error.code == .authenticationFailed { countRefusal(of: network) }
      throw error
    }
  }

  /// Whether the credentials are cached as valid, so that verification does not read the storage.
  private func remembers(_ credentials: Credentials) -> Bool {
    if let signature = credentials.signature {
      return serverKeys.isRemembered(signature.keyIdentifier, at: now)
    }
    func isRemembered<Value>(_ text: String?, in cache: CredentialCache<SecretHash, Value>) -> Bool
    {
      text.flatMap { Secret(text: $0) }.map { cache.isRemembered($0.hash, at: now) } ?? false
    }
    let webToken = credentials.webToken.flatMap { $0.isEmpty ? nil : $0 }
    return isRemembered(credentials.apiToken, in: apiTokens)
      && (webToken == nil || isRemembered(webToken, in: sessions))
  }

  /// The name for counting an address in all realms; a caller's name begins with a realm's number.
  private static func name(ofNetwork network: String) -> String { "network \(network)" }
}
