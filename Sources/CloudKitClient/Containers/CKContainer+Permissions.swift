import Foundation

extension CKContainer {
  /// What a program asks a user for.
  public struct ApplicationPermissions: OptionSet, Sendable {
    /// The bits of the permissions.
    public let rawValue: UInt

    /// Permissions by their bits.
    public init(rawValue: UInt) { self.rawValue = rawValue }

    /// Others who have the program can find the user by a mail address.
    @available(*, deprecated, message: "Apple's system grants this no longer. Share by CKShare.")
    public static let userDiscoverability = ApplicationPermissions(rawValue: 1 << 0)
  }

  /// What a user has answered.
  @available(
    *, deprecated, message: "Apple's system grants no permissions any longer. Share by CKShare."
  )
  public enum ApplicationPermissionStatus: Int, Sendable {
    /// The user was not asked.
    ///
    /// Nobody has this here: an account says of itself whether others find it, or does not.
    case initialState = 0
    /// What the user has answered cannot be found out: look at the error.
    case couldNotComplete = 1
    /// The user said no.
    case denied = 2
    /// The user said yes.
    case granted = 3
  }

  /// Is told what a user has answered.
  @available(
    *, deprecated, message: "Apple's system grants no permissions any longer. Share by CKShare."
  )
  public typealias ApplicationPermissionBlock =
    @Sendable (ApplicationPermissionStatus, (any Error)?) -> Void

  /// What the user has answered to the question for a permission: whether others find the user on
  /// this server.
  ///
  /// Users are asked by the server, on the page where they sign up, and the answer holds for all
  /// programs; `parhelion user discoverable` and `parhelion user hidden` change it.
  ///
  /// - Returns: `granted` or `denied`.
  /// - Throws: `CKError.notAuthenticated` where nobody is signed in, and `CKError.invalidArguments`
  ///   for anything but ``ApplicationPermissions/userDiscoverability``.
  @available(
    *, deprecated, message: "Apple's system grants no permissions any longer. Share by CKShare."
  )
  public func applicationPermissionStatus(
    for applicationPermission: ApplicationPermissions
  ) async throws -> ApplicationPermissionStatus {
    guard applicationPermission == .userDiscoverability else {
      throw CKError(
        .invalidArguments, "There is one permission only: userDiscoverability. Ask for it.")
    }
    return try await work().isDiscoverable() ? .granted : .denied
  }

  /// Asks the user for a permission: says what the user has answered already.
  ///
  /// A program asks nobody. Users are asked by the server, as ``applicationPermissionStatus(for:)``
  /// says.
  @available(
    *, deprecated, message: "Apple's system grants no permissions any longer. Share by CKShare."
  )
  public func requestApplicationPermission(
    _ applicationPermission: ApplicationPermissions
  ) async throws -> ApplicationPermissionStatus {
    try await applicationPermissionStatus(for: applicationPermission)
  }

  /// What the user has answered to the question for a permission; `couldNotComplete` beside an
  /// error.
  @available(
    *, deprecated, message: "Apple's system grants no permissions any longer. Share by CKShare."
  )
  public func status(
    forApplicationPermission applicationPermission: ApplicationPermissions,
    completionHandler: @escaping ApplicationPermissionBlock
  ) {
    Task {
      do {
        completionHandler(try await applicationPermissionStatus(for: applicationPermission), nil)
      } catch {
        completionHandler(.couldNotComplete, error)
      }
    }
  }

  /// Asks the user for a permission: says what the user has answered already; `couldNotComplete`
  /// beside an error.
  @available(
    *, deprecated, message: "Apple's system grants no permissions any longer. Share by CKShare."
  )
  public func requestApplicationPermission(
    _ applicationPermission: ApplicationPermissions,
    completionHandler: @escaping ApplicationPermissionBlock
  ) {
    status(forApplicationPermission: applicationPermission, completionHandler: completionHandler)
  }
}
