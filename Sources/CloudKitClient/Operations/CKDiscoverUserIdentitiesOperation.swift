import Foundation

// Sendable: the program sets properties before it adds the operation.
/// Finds users by what others know of them: those who let themselves be found.
open class CKDiscoverUserIdentitiesOperation: CKOperation, @unchecked Sendable {
  /// How they are looked for.
  open var userIdentityLookupInfos: [CKUserIdentity.LookupInfo]

  /// Is told of each one who was found.
  open var userIdentityDiscoveredBlock:
    (@Sendable (CKUserIdentity, CKUserIdentity.LookupInfo) -> Void)?
  /// Is told the end.
  open var discoverUserIdentitiesResultBlock: (@Sendable (Result<Void, any Error>) -> Void)?
  /// Is told the end.
  @available(*, deprecated, message: "Use discoverUserIdentitiesResultBlock.")
  open var discoverUserIdentitiesCompletionBlock: (@Sendable ((any Error)?) -> Void)? {
    get { olderFinalBlock }
    set { olderFinalBlock = newValue }
  }

  private var olderFinalBlock: (@Sendable ((any Error)?) -> Void)?

  /// An operation that does nothing until it is told what.
  public override convenience init() { self.init(userIdentityLookupInfos: []) }

  /// An operation that finds users.
  public init(userIdentityLookupInfos: [CKUserIdentity.LookupInfo]) {
    self.userIdentityLookupInfos = userIdentityLookupInfos
    super.init()
  }

  override func perform(_ work: DatabaseWork) async throws(CKError) {
    try await work.discover(userIdentityLookupInfos) { userIdentityDiscoveredBlock?($1, $0) }
  }

  // MARK: Long-lived operations

  private static let wishKey = "UserIdentityLookupInfos"

  override func encodeWish(with coder: NSCoder) -> Bool {
    coder.encode(list: userIdentityLookupInfos, forKey: Self.wishKey)
    return true
  }

  override func decodeWish(from coder: NSCoder) -> Bool {
    guard let infos = coder.list(of: CKUserIdentity.LookupInfo.self, Self.wishKey) else {
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
