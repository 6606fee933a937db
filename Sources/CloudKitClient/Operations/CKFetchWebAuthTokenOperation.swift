import Foundation

// Sendable: properties are set before the operation is added.
/// An operation that fetches a web auth token, with which a website sends requests as the current
/// user.
///
/// ```swift
/// let operation = CKFetchWebAuthTokenOperation(apiToken: tokenOfThePage)
/// operation.fetchWebAuthTokenResultBlock = { result in … }
/// container.privateCloudDatabase.add(operation)
/// ```
///
/// The token belongs to this app's session: the website and the app sign out together. It is valid
/// for this container and environment only. The operation is never persisted, even if it is
/// long-lived, because the token would be outdated.
open class CKFetchWebAuthTokenOperation: CKDatabaseOperation, @unchecked Sendable {
  /// The website's API token.
  open var apiToken: String?

  /// Called with the token or an error.
  open var fetchWebAuthTokenResultBlock: (@Sendable (Result<String, any Error>) -> Void)?
  /// Called with the token or an error.
  @available(*, deprecated, message: "Use fetchWebAuthTokenResultBlock.")
  open var fetchWebAuthTokenCompletionBlock: (@Sendable (String?, (any Error)?) -> Void)? {
    get { olderFinalBlock }
    set { olderFinalBlock = newValue }
  }

  private var olderFinalBlock: (@Sendable (String?, (any Error)?) -> Void)?
  private var token = ""

  /// Creates an operation without an API token, which it requires.
  public override init() { super.init() }

  /// Creates an operation for a website's API token.
  public convenience init(apiToken: String) {
    self.init()
    self.apiToken = apiToken
  }

  override func perform(_ work: DatabaseWork) async throws(CKError) {
    guard let apiToken, !apiToken.isEmpty else {
      throw CKError(
        .invalidArguments, "The operation has no API token. Set apiToken to the website's token.")
    }
    let session = work.session
    guard let current = session.credentials.webAuthToken else {
      throw CKError(.notAuthenticated, "No user is signed in.")
    }
    // The server validates both tokens for this container.
    token = try await session.webAuthToken(current, for: apiToken, work.options)
  }

  package override func conclude(_ error: CKError?) {
    if let error {
      fetchWebAuthTokenResultBlock?(.failure(error))
      olderFinalBlock?(nil, error)
    } else {
      fetchWebAuthTokenResultBlock?(.success(token))
      olderFinalBlock?(token, nil)
    }
  }
}

extension CloudSession {
  /// Returns the user's newest token, after the server has accepted it together with another app's
  /// API token.
  fileprivate func webAuthToken(
    _ token: String, for apiToken: String, _ options: CallOptions
  ) async throws(CKError) -> String {
    let other = try CloudSession(
      address: address, credentials: .user(apiToken: apiToken, webAuthToken: token),
      transport: transport,
      dependencies: dependencies)
    _ = try await other.fetchCaller(options)
    return other.credentials.webAuthToken ?? token
  }
}
