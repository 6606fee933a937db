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
}
