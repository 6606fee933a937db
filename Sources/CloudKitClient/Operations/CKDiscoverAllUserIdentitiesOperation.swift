import Foundation

// Sendable: the program sets properties before it adds the operation.
/// Finds everybody in the user's address book who lets themselves be found.
///
/// Devices have no address book here, and Parhelion's servers keep none: it is nobody. Another
/// server may know of some. It is not kept where it is to be long-lived: ask anew.
@available(*, deprecated, message: "There is no address book on this platform. Share by CKShare.")
open class CKDiscoverAllUserIdentitiesOperation: CKOperation, @unchecked Sendable {
  /// Is told of each one who was found.
  open var userIdentityDiscoveredBlock: (@Sendable (CKUserIdentity) -> Void)?
  /// Is told the end.
  open var discoverAllUserIdentitiesResultBlock: (@Sendable (Result<Void, any Error>) -> Void)?
  /// Is told the end.
  @available(*, deprecated, message: "Use discoverAllUserIdentitiesResultBlock.")
  open var discoverAllUserIdentitiesCompletionBlock: (@Sendable ((any Error)?) -> Void)? {
    get { olderFinalBlock }
    set { olderFinalBlock = newValue }
  }

  private var olderFinalBlock: (@Sendable ((any Error)?) -> Void)?

  /// An operation that finds everybody.
  public override init() { super.init() }

  override func perform(_ work: DatabaseWork) async throws(CKError) {
    for identity in try await work.discoverAll() { userIdentityDiscoveredBlock?(identity) }
  }

  package override func conclude(_ error: CKError?) {
    discoverAllUserIdentitiesResultBlock?(Result(error))
    olderFinalBlock?(error)
  }
}
