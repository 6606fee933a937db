import Foundation

extension CKContainer {
  /// The permissions that an app can ask a user for.
  public struct ApplicationPermissions: OptionSet, Sendable {
    /// The permissions as a bit mask.
    public let rawValue: UInt

    /// Creates permissions from a bit mask.
    public init(rawValue: UInt) { self.rawValue = rawValue }

    /// The permission to let other users of the app find the user by e-mail address.
    @available(*, deprecated, message: "Apple's system grants this no longer. Share by CKShare.")
    public static let userDiscoverability = ApplicationPermissions(rawValue: 1 << 0)
  }

  /// The user's answer to a permission request.
  @available(
    *, deprecated, message: "Apple's system grants no permissions any longer. Share by CKShare."
  )
  public enum ApplicationPermissionStatus: Int, Sendable {
    /// The user has not been asked. Never returned here, because every account has a setting.
    case initialState = 0
    /// The answer could not be determined. The error says why.
    case couldNotComplete = 1
    /// The user denied the permission.
    case denied = 2
    /// The user granted the permission.
    case granted = 3
  }

  /// A closure that receives the user's answer.
  @available(
    *, deprecated, message: "Apple's system grants no permissions any longer. Share by CKShare."
  )
  public typealias ApplicationPermissionBlock =
    @Sendable (ApplicationPermissionStatus, (any Error)?) -> Void

  /// Returns whether the user has granted a permission: whether other users can find the account.
  ///
  /// The server asks on its sign-up page, and the answer applies to all apps. Change it with
  /// `parhelion user discoverable` and `parhelion user hidden`.
  ///
  /// - Returns: `granted` or `denied`.
  /// - Throws: `CKError.notAuthenticated` if no user is signed in; `CKError.invalidArguments` for
  ///   any permission other than ``ApplicationPermissions/userDiscoverability``.
  @available(
    *, deprecated, message: "Apple's system grants no permissions any longer. Share by CKShare."
  )
  public func applicationPermissionStatus(
    for applicationPermission: ApplicationPermissions
  ) async throws -> ApplicationPermissionStatus {
    guard applicationPermission == .userDiscoverability else {
      throw CKError(.invalidArguments, "userDiscoverability is the only permission.")
    }
    return try await work().isDiscoverable() ? .granted : .denied
  }

  /// Returns the user's existing answer to a permission request.
  ///
  /// Apps do not ask users. The server does, as ``applicationPermissionStatus(for:)`` describes.
  @available(
    *, deprecated, message: "Apple's system grants no permissions any longer. Share by CKShare."
  )
  public func requestApplicationPermission(
    _ applicationPermission: ApplicationPermissions
  ) async throws -> ApplicationPermissionStatus {
    try await applicationPermissionStatus(for: applicationPermission)
  }

  /// Passes the user's answer to a completion handler; `couldNotComplete` together with an error.
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

  /// Passes the user's existing answer to a completion handler; `couldNotComplete` together with an
  /// error.
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
