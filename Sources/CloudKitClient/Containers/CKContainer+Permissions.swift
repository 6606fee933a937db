import Foundation

extension CKContainer {
  /// What a program asks a user for.
  public struct ApplicationPermissions: OptionSet, Sendable {
    /// The bits of the permissions.
    public let rawValue: UInt

    /// Permissions by their bits.
    public init(rawValue: UInt) { self.rawValue = rawValue }

    /// Others who have the program can find the user by a mail address.
    public static let userDiscoverability = ApplicationPermissions(rawValue: 1 << 0)
  }

  /// What a user has answered.
  public enum ApplicationPermissionStatus: Int, Sendable {
    /// The user was not asked.
    case initialState = 0
    /// The user could not be asked.
    case couldNotComplete = 1
    /// The user said no.
    case denied = 2
    /// The user said yes.
    case granted = 3
  }

  /// Asks the user for a permission.
  @available(
    *, unavailable,
    message:
      "Apple has withdrawn this. Whether others find a user is set with the account: parhelion user discoverable."
  )
  public func requestApplicationPermission(
    _ applicationPermission: ApplicationPermissions
  ) async throws -> ApplicationPermissionStatus {
    .couldNotComplete
  }

  /// What the user has answered to the question for a permission.
  @available(
    *, unavailable,
    message:
      "Apple has withdrawn this. Whether others find a user is set with the account: parhelion user discoverable."
  )
  public func applicationPermissionStatus(
    for applicationPermission: ApplicationPermissions
  ) async throws -> ApplicationPermissionStatus {
    .couldNotComplete
  }

  /// Asks the user for a permission.
  @available(
    *, unavailable,
    message:
      "Apple has withdrawn this. Whether others find a user is set with the account: parhelion user discoverable."
  )
  public func requestApplicationPermission(
    _ applicationPermission: ApplicationPermissions,
    completionHandler: @escaping @Sendable (ApplicationPermissionStatus, (any Error)?) -> Void
  ) {}

  /// What the user has answered to the question for a permission.
  @available(
    *, unavailable,
    message:
      "Apple has withdrawn this. Whether others find a user is set with the account: parhelion user discoverable."
  )
  public func status(
    forApplicationPermission applicationPermission: ApplicationPermissions,
    completionHandler: @escaping @Sendable (ApplicationPermissionStatus, (any Error)?) -> Void
  ) {}

  /// Finds everybody in the user's address book.
  @available(
    *, unavailable, message: "There is no address book on this platform. Look for users by what is known of them."
  )
  public func discoverAllIdentities(completionHandler: @escaping @Sendable ([CKUserIdentity]?, (any Error)?) -> Void) {}
}

/// Finds everybody in the user's address book.
@available(
  *, unavailable, message: "There is no address book on this platform. Use CKDiscoverUserIdentitiesOperation."
)
open class CKDiscoverAllUserIdentitiesOperation: CKOperation, @unchecked Sendable {
  /// An operation that finds everybody.
  public override init() { super.init() }

  /// Is told of each one who was found.
  open var userIdentityDiscoveredBlock: (@Sendable (CKUserIdentity) -> Void)?
  /// Is told the end.
  open var discoverAllUserIdentitiesResultBlock: (@Sendable (Result<Void, any Error>) -> Void)?
}
