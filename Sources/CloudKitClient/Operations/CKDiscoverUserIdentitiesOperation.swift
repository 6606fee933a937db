import Foundation

// Sendable: properties are set before the operation is added.
/// An operation that finds discoverable users.
open class CKDiscoverUserIdentitiesOperation: CKOperation, @unchecked Sendable {
  /// The lookup information of the users.
  open var userIdentityLookupInfos: [CKUserIdentity.LookupInfo]

  /// Called for each user that was found.
  open var userIdentityDiscoveredBlock:
    (@Sendable (CKUserIdentity, CKUserIdentity.LookupInfo) -> Void)?
  /// Called when the operation completes.
  open var discoverUserIdentitiesResultBlock: (@Sendable (Result<Void, any Error>) -> Void)?
  /// Called when the operation completes.
  @available(*, deprecated, message: "Use discoverUserIdentitiesResultBlock.")
  open var discoverUserIdentitiesCompletionBlock: (@Sendable ((any Error)?) -> Void)? {
    get { olderFinalBlock }
    set { olderFinalBlock = newValue }
  }

  private var olderFinalBlock: (@Sendable ((any Error)?) -> Void)?

  /// Creates an empty operation.
  public override convenience init() { self.init(userIdentityLookupInfos: []) }

  /// Creates an operation that finds users.
  public init(userIdentityLookupInfos: [CKUserIdentity.LookupInfo]) {
    self.userIdentityLookupInfos = userIdentityLookupInfos
    super.init()
  }

  override func perform(_ work: DatabaseWork) async throws(CKError) {
    try await work.discover(userIdentityLookupInfos) { userIdentityDiscoveredBlock?($1, $0) }
  }

  // MARK: Long-lived operations

  private static let requestKey = "UserIdentityLookupInfos"

  override func encodeRequest(with coder: NSCoder) -> Bool {
    coder.encode(list: userIdentityLookupInfos, forKey: Self.requestKey)
    return true
  }

  override func decodeRequest(from coder: NSCoder) -> Bool {
    guard let infos = coder.list(of: CKUserIdentity.LookupInfo.self, Self.requestKey) else {
      return false
    }
    userIdentityLookupInfos = infos
    return true
  }

  package override func conclude(_ error: CKError?) {
    discoverUserIdentitiesResultBlock?(Result(error))
    olderFinalBlock?(error)
  }
}
