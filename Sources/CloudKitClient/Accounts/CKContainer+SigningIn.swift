import CloudRecords
public import Foundation

extension CKContainer {
  /// Signs a user in by a web token, such as the server's page shows.
  ///
  /// Parhelion's addition. The server is asked whose token it is; then the account is kept, and put
  /// to use. `CKAccountChanged` is posted.
  ///
  /// - Throws: `CKError.notAuthenticated` where the server does not take the token.
  @discardableResult
  public func signIn(webAuthToken: String) async throws -> Account {
    try await signIn(changeableBinding(), webAuthToken)
  }

  /// Signs a user in by the server's page.
  ///
  /// Parhelion's addition. The program shows the page, usually in the user's browser; when the user
  /// has signed in there, the browser brings the token to a port of this machine that only this
  /// call listens at. A text that nobody can guess goes the same way, so that no other page can
  /// bring a token.
  ///
  /// The API token needs the callback `http://127.0.0.1/signed-in` for it (`parhelion token create
  /// --callback`). Without one, the page shows the token: let the user paste it, and use
  /// ``signIn(webAuthToken:)``.
  ///
  /// - Parameters:
  ///   - timeLimit: How long the user may take.
  ///   - openingPage: Shows the page.
  /// - Throws: `CKError.operationCancelled` where the task was cancelled;
  ///   `CKError.notAuthenticated` where the time is over.
  @discardableResult
  public func signIn(
    timeLimit: Duration = .seconds(600), openingPage: @escaping @Sendable (URL) -> Void
  ) async throws -> Account {
    let binding = try changeableBinding()
    let page = try await binding.signInPage()
    let callback = try await SignInCallback.start()
    do {
      openingPage(callback.address(from: page))
      let token = try await callback.token(within: timeLimit, binding.dependencies)
      await callback.stop()
      return try await signIn(binding, token)
    } catch {
      await callback.stop()
      throw error
    }
  }

  /// The server's page to sign in on, for programs that bring the token back in a way of their own.
  ///
  /// Parhelion's addition. Finish with ``signIn(webAuthToken:)``.
  public func signInPage() async throws -> URL {
    guard let url = try await changeableBinding().signInPage().url else {
      throw CKError(.internalError, "The server's page to sign in on has no address.")
    }
    return url
  }

  private func signIn(_ binding: ContainerBinding, _ webAuthToken: String) async throws(CKError)
    -> Account
  {
    guard let apiToken = binding.configuration.credentials.cloud.apiToken else {
      throw CKError(.notAuthenticated, "Nobody can sign in without an API token.")
    }
    let token = webAuthToken.trimmingCharacters(in: .whitespacesAndNewlines)
    guard !token.isEmpty else { throw CKError(.notAuthenticated, "The web token is empty.") }
    let session = try binding.temporarySession(.user(apiToken: apiToken, webAuthToken: token))
    let caller = try await session.askWhoCalls()
    let account = StoredAccounts.Account(
      userRecordName: caller.userRecordName, name: caller.identity.displayName,
      webAuthToken: session.credentials.webAuthToken ?? token)
    try binding.store.setDamageAside(at: binding.address)
    try binding.change { $0.signIn(account) }
    return Account(account, isCurrent: true)
  }
}

extension ContainerBinding {
  /// Asks the server where users sign in.
  func signInPage() async throws(CKError) -> URLComponents {
    guard let apiToken = configuration.credentials.cloud.apiToken else {
      throw CKError(.notAuthenticated, "Nobody can sign in without an API token.")
    }
    do throws(CKError) {
      _ = try await temporarySession(.program(apiToken: apiToken)).askWhoCalls()
    } catch {
      guard error.code == .notAuthenticated else { throw error }
      guard let text = error.errorUserInfo[CKError.signInAddressKey] as? String,
        let page = URLComponents(string: text),
        ["http", "https"].contains(page.scheme), page.host?.isEmpty == false
      else {
        throw CKError(
          .notAuthenticated,
          "The server does not take the program's API token (\(error.localizedDescription)). Is it one of this server, container and environment, and not revoked?"
        )
      }
      return page
    }
    throw CKError(
      .internalError,
      "The server knows a user where there is none, and does not say where users sign in.")
  }
}

extension UserIdentity {
  /// What a person calls a user.
  fileprivate var displayName: String? {
    let names = [nameComponents?.givenName, nameComponents?.familyName].compactMap(\.self).filter {
      !$0.isEmpty
    }
    if !names.isEmpty { return names.joined(separator: " ") }
    switch lookupInfo {
    case .emailAddress(let text), .phoneNumber(let text): return text
    case .userRecordName, nil: return nil
    }
  }
}
