import CloudTransport

extension ContainerBinding {
  /// Removes an account from this machine, then ends its session on the server.
  ///
  /// - Parameter choose: Returns the user record name of the account to sign out.
  /// - Returns: Whether the session on the server ended.
  func signOut(_ choose: (StoredAccounts) -> String?) async throws(CKError) -> Bool {
    let used = try session()
    var gone: StoredAccounts.Account?
    try change { accounts in
      gone = choose(accounts).flatMap { accounts.account($0) }
      if let gone { accounts.signOut(gone.userRecordName) }
    }
    guard let gone, let apiToken = configuration.credentials.cloud.apiToken else { return false }
    // The newest token may not be in the store yet.
    let newest =
      used.knownUserRecordName == gone.userRecordName ? used.credentials.webAuthToken : nil
    let leaving = try temporarySession(
      .user(apiToken: apiToken, webAuthToken: newest ?? gone.webAuthToken))
    return await leaving.end()
  }
}

extension CloudSession {
  /// Ends the session on the server, which invalidates all its tokens.
  ///
  /// - Returns: Whether the server confirmed it. The server may be unreachable or have no such
  ///   endpoint.
  func end() async -> Bool {
    guard case .user(let apiToken, let webAuthToken) = credentials else { return false }
    var request = TransportRequest(
      .post, "\(address.server)/sign-out?ckAPIToken=\(CloudAddress.encoded(apiToken))",
      body: .bytes(Array("token=\(CloudAddress.encoded(webAuthToken))".utf8)))
    request.headers = [
      ("Content-Type", "application/x-www-form-urlencoded"), ("X-Parhelion-Client", "1"),
    ]
    request.wholeLimit = Self.patienceAtEnd
    return (try? await transport.send(request))?.isSuccess ?? false
  }

  /// The timeout of the sign-out request, short because the user is leaving.
  private static let patienceAtEnd = Duration.seconds(10)
}
