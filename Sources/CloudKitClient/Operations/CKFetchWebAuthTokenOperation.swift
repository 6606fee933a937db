import Foundation

// Sendable: the program sets properties before it adds the operation.
/// Gets the token by which a page of the web asks in the name of whoever is signed in.
///
/// ```swift
/// let operation = CKFetchWebAuthTokenOperation(apiToken: tokenOfThePage)
/// operation.fetchWebAuthTokenResultBlock = { result in … }
/// container.privateCloudDatabase.add(operation)
/// ```
///
/// Parhelion gives the session that this program has: the page and the program are signed in
/// together, and out together. The token is one for this container and environment only. The
/// operation is not kept where it is to be long-lived, since nobody could use a token of yesterday.
open class CKFetchWebAuthTokenOperation: CKDatabaseOperation, @unchecked Sendable {
  /// The API token of the page.
  open var apiToken: String?

  /// Is told the token, or why there is none.
  open var fetchWebAuthTokenResultBlock: (@Sendable (Result<String, any Error>) -> Void)?
  /// Is told the token, or why there is none.
  @available(*, deprecated, message: "Use fetchWebAuthTokenResultBlock.")
  open var fetchWebAuthTokenCompletionBlock: (@Sendable (String?, (any Error)?) -> Void)? {
    get { olderFinalBlock }
    set { olderFinalBlock = newValue }
  }

  private var olderFinalBlock: (@Sendable (String?, (any Error)?) -> Void)?
  private var token = ""

  /// An operation that fails until it has an API token.
  public override init() { super.init() }

  /// An operation for the page with an API token.
  public convenience init(apiToken: String) {
    self.init()
    self.apiToken = apiToken
  }

  override func perform(_ work: DatabaseWork) async throws(CKError) {
    guard let apiToken, !apiToken.isEmpty else {
      throw CKError(
        .invalidArguments, "The operation has no API token. Set apiToken to that of the page.")
    }
    let session = work.session
    guard let current = session.credentials.webAuthToken else {
      throw CKError(.notAuthenticated, "Nobody is signed in.")
    }
    // The server says whether the page's token is one of this container, and the user's still good.
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
  /// The newest token of the user, after the server has taken it together with another program's
  /// API token.
  fileprivate func webAuthToken(
    _ token: String, for apiToken: String, _ options: CallOptions
  ) async throws(CKError) -> String {
    let other = try CloudSession(
      address: address, credentials: .user(apiToken: apiToken, webAuthToken: token),
      transport: transport,
      dependencies: dependencies)
    _ = try await other.askWhoCalls(options)
    return other.credentials.webAuthToken ?? token
  }
}
