package import CloudRecords

extension Accounts {
  /// Counts a request of somebody; what to say where it is one too many.
  ///
  /// - Parameter network: Where it comes from, by which callers without a user are told apart.
  package func refusal(of authentication: Authentication, from network: @autoclosure () -> String)
    -> CloudError?
  {
    guard let requests else { return nil }
    let name = authentication.caller.userRecordName ?? network()
    return requests.refusal(of: "\(authentication.realm.number) \(name)", at: now)
  }

  /// Counts a request that carries no credentials, such as one for a page.
  ///
  /// - Throws: `THROTTLED` if the network has sent too many.
  package func countRequest(from network: String) throws(CloudError) {
    try requests?.take(Self.name(ofNetwork: network), at: now)
  }

  /// Refuses a network that has sent too many requests which were refused, before another one is
  /// looked into.
  package func checkRefusals(of network: String) throws(CloudError) {
    if let error = requests?.refusalAhead(of: Self.name(ofNetwork: network), at: now) {
      throw error
    }
  }

  /// Counts a request that was refused as one of its network.
  package func countRefusal(of network: String) {
    _ = requests?.refusal(of: Self.name(ofNetwork: network), at: now)
  }

  /// Proves credentials, and counts a refusal.
  ///
  /// Credentials that were found good a moment ago are looked at whatever else comes from their
  /// network.
  func countingRefusals<Result>(
    of credentials: Credentials, from network: String?,
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

  /// Whether looking at credentials reads no storage, and they were good a moment ago.
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

  /// No realm has this name: requests without a user are counted for each realm by another one.
  private static func name(ofNetwork network: String) -> String { "network \(network)" }
}
