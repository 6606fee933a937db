import Foundation

// Sendable: the program sets properties before it adds the operation.
/// Finds users by what others know of them: those who let themselves be found.
open class CKDiscoverUserIdentitiesOperation: CKOperation, @unchecked Sendable {
  /// How they are looked for.
  open var userIdentityLookupInfos: [CKUserIdentity.LookupInfo]

  /// Is told of each one who was found.
  open var userIdentityDiscoveredBlock: (@Sendable (CKUserIdentity, CKUserIdentity.LookupInfo) -> Void)?
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

  package override func perform() async throws(CKError) {
    for found in try await containerWork().discover(userIdentityLookupInfos) {
      userIdentityDiscoveredBlock?(found.identity, found.info)
    }
  }

  package override func conclude(_ error: CKError?) {
    discoverUserIdentitiesResultBlock?(Result(error))
    olderFinalBlock?(error)
  }
}

extension CKOperation {
  /// What an operation that is about no database does its work with.
  func containerWork() throws(CKError) -> DatabaseWork {
    var work = try (effectiveConfiguration.container ?? CKContainer.default()).work()
    work.options = callOptions(at: work.session.surroundings.now())
    return work
  }
}
