import CloudRecords
public import Foundation

extension CKContainer {
  /// Signs a user in with a web auth token, such as the server's sign-in page shows.
  ///
  /// Parhelion's addition. The account is stored and becomes the current one, and
  /// `CKAccountChanged` is posted.
  ///
  /// - Parameter webAuthToken: The token from the sign-in page.
  /// - Returns: The account of the token's user.
  /// - Throws: `CKError.notAuthenticated` if the server rejects the token.
  @discardableResult
  public func signIn(webAuthToken: String) async throws -> Account {
    try await signIn(changeableBinding(), webAuthToken)
  }

  /// Signs a user in by the server's sign-in page.
  ///
  /// Parhelion's addition. The app shows the page, usually in the user's browser. After the user
  /// has signed in, the browser is redirected to a local port that only this call listens on. A
  /// random state value protects the redirect against forged requests.
  ///
  /// The API token must permit the callback `http://127.0.0.1/signed-in` (`parhelion token create
  /// --callback`). Otherwise the page shows the token: let the user paste it, and call
  /// ``signIn(webAuthToken:)``.
  ///
  /// - Parameters:
  ///   - timeLimit: The time after which signing in fails.
  ///   - openingPage: Shows the page at the given URL.
  /// - Throws: `CKError.operationCancelled` if the task is cancelled, `CKError.notAuthenticated` if
  ///   the time limit expires.
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

  /// Returns the URL of the server's sign-in page, for apps that receive the token in another way.
  ///
  /// Parhelion's addition. Complete the sign-in with ``signIn(webAuthToken:)``.
  public func signInPage() async throws -> URL {
    guard let url = try await changeableBinding().signInPage().url else {
      throw CKError(.internalError, "The URL of the server's sign-in page is malformed.")
    }
    return url
  }

  private func signIn(_ binding: ContainerBinding, _ webAuthToken: String) async throws(CKError)
    -> Account
  {
    guard let apiToken = binding.configuration.credentials.cloud.apiToken else {
      throw CKError(.notAuthenticated, "Signing in requires an API token.")
    }
    let token = webAuthToken.trimmingCharacters(in: .whitespacesAndNewlines)
    guard !token.isEmpty else { throw CKError(.notAuthenticated, "The web token is empty.") }
    let session = try binding.temporarySession(.user(apiToken: apiToken, webAuthToken: token))
    let caller = try await session.fetchCaller()
    let account = StoredAccounts.Account(
      userRecordName: caller.userRecordName, name: caller.identity.displayName,
      webAuthToken: session.credentials.webAuthToken ?? token)
    try binding.store.moveDamagedFileAside(at: binding.address)
    try binding.change { $0.signIn(account) }
    return Account(account, isCurrent: true)
  }
}

extension ContainerBinding {
  /// Requests the URL of the sign-in page.
  func signInPage() async throws(CKError) -> URLComponents {
    guard let apiToken = configuration.credentials.cloud.apiToken else {
      throw CKError(.notAuthenticated, "Signing in requires an API token.")
    }
    do throws(CKError) {
      _ = try await temporarySession(.program(apiToken: apiToken)).fetchCaller()
    } catch {
      guard error.code == .notAuthenticated else { throw error }
      guard let text = error.errorUserInfo[CKError.signInAddressKey] as? String,
        let page = URLComponents(string: text),
        ["http", "https"].contains(page.scheme), page.host?.isEmpty == false
      else {
        throw CKError(
          .notAuthenticated,
          "The server rejected the API token (\(error.localizedDescription)). Check that it belongs to this server, container and environment, and that it was not revoked."
        )
      }
      return page
    }
    throw CKError(
      .internalError,
      "The server answered an anonymous request as if a user had signed in, and sent no sign-in page."
    )
  }
}

extension UserIdentity {
  /// The user's full name, or else an address.
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
