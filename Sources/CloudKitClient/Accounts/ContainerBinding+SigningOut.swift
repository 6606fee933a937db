import CloudTransport

extension ContainerBinding {
  /// Forgets an account on this machine, then ends its session on the server.
  ///
  /// - Returns: Whether the session has ended.
  func signOut(_ choose: (StoredAccounts) -> String?) async throws(CKError) -> Bool {
    let used = try session()
    var gone: StoredAccounts.Account?
    try change { accounts in
      gone = choose(accounts).flatMap { accounts.account($0) }
      if let gone { accounts.signOut(gone.userRecordName) }
    }
    guard let gone, let apiToken = configuration.credentials.cloud.apiToken else { return false }
    // The newest token may not have been brought to the store yet.
    let newest =
      used.knownUserRecordName == gone.userRecordName ? used.credentials.webAuthToken : nil
    let leaving = try temporarySession(
      .user(apiToken: apiToken, webAuthToken: newest ?? gone.webAuthToken))
    return await leaving.end()
  }
}

extension CloudSession {
  /// Tells the server's page for it that the user signs out; no token of the session is good any
  /// more then.
  ///
  /// - Returns: Whether the server did so: it may not be reached, or be one that has no such page.
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

  /// Nobody wants to wait for long who leaves.
  private static let patienceAtEnd = Duration.seconds(10)
}
