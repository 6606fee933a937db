import Foundation

// Sendable: properties are set before the operation is added.
/// An operation that finds the discoverable users in the user's address book.
///
/// There is no address book on this platform, and Parhelion's servers keep none, so the result is
/// empty. Other servers may return users. The operation is never persisted, even if it is
/// long-lived.
@available(*, deprecated, message: "There is no address book on this platform. Share by CKShare.")
open class CKDiscoverAllUserIdentitiesOperation: CKOperation, @unchecked Sendable {
  /// Called for each user that was found.
  open var userIdentityDiscoveredBlock: (@Sendable (CKUserIdentity) -> Void)?
  /// Called when the operation completes.
  open var discoverAllUserIdentitiesResultBlock: (@Sendable (Result<Void, any Error>) -> Void)?
  /// Called when the operation completes.
  @available(*, deprecated, message: "Use discoverAllUserIdentitiesResultBlock.")
  open var discoverAllUserIdentitiesCompletionBlock: (@Sendable ((any Error)?) -> Void)? {
    get { olderFinalBlock }
    set { olderFinalBlock = newValue }
  }

  private var olderFinalBlock: (@Sendable ((any Error)?) -> Void)?

  /// Creates an operation.
  public override init() { super.init() }

  override func perform(_ work: DatabaseWork) async throws(CKError) {
    for identity in try await work.discoverAll() { userIdentityDiscoveredBlock?(identity) }
  }

  package override func conclude(_ error: CKError?) {
    discoverAllUserIdentitiesResultBlock?(Result(error))
    olderFinalBlock?(error)
  }
}
