public import Foundation

// Options for Apple's sharing UI, which does not exist on this platform.

/// The permissions that the sharing UI offers.
@available(
  *, unavailable,
  message: "There is no sharing UI on this platform. Set the permissions of participants."
)
public struct CKSharingParticipantPermissionOption: OptionSet, Sendable {
  /// The options as a bit mask.
  public let rawValue: UInt

  /// Creates options from a bit mask.
  public init(rawValue: UInt) { self.rawValue = rawValue }
}

/// The access options that the sharing UI offers.
@available(
  *, unavailable, message: "There is no sharing UI on this platform. Set CKShare.publicPermission."
)
public struct CKSharingParticipantAccessOption: OptionSet, Sendable {
  /// The options as a bit mask.
  public let rawValue: UInt

  /// Creates options from a bit mask.
  public init(rawValue: UInt) { self.rawValue = rawValue }
}

/// The options that the sharing UI offers.
@available(
  *, unavailable,
  message:
    "There is no sharing UI on this platform. Set the properties of CKShare and its participants."
)
open class CKAllowedSharingOptions: NSObject, @unchecked Sendable {
  /// The permissions that the sharing UI offers.
  open var allowedParticipantPermissionOptions: CKSharingParticipantPermissionOption
  /// The access options that the sharing UI offers.
  open var allowedParticipantAccessOptions: CKSharingParticipantAccessOption
  /// Whether the user may allow access requests.
  open var allowsAccessRequests = false

  /// Creates options from permissions and access options.
  public init(
    allowedParticipantPermissionOptions: CKSharingParticipantPermissionOption,
    allowedParticipantAccessOptions: CKSharingParticipantAccessOption
  ) {
    self.allowedParticipantPermissionOptions = allowedParticipantPermissionOptions
    self.allowedParticipantAccessOptions = allowedParticipantAccessOptions
  }
}
