public import Foundation

// What the system's own windows for sharing may offer, on platforms that have some.

/// What guests may be allowed to do.
@available(
  *, unavailable,
  message: "There is no system that shows how to share. Set the permissions of participants."
)
public struct CKSharingParticipantPermissionOption: OptionSet, Sendable {
  /// The bits of the options.
  public let rawValue: UInt

  /// Options by their bits.
  public init(rawValue: UInt) { self.rawValue = rawValue }
}

/// Who may be let in.
@available(
  *, unavailable,
  message: "There is no system that shows how to share. Set CKShare.publicPermission."
)
public struct CKSharingParticipantAccessOption: OptionSet, Sendable {
  /// The bits of the options.
  public let rawValue: UInt

  /// Options by their bits.
  public init(rawValue: UInt) { self.rawValue = rawValue }
}

/// What the system lets a user choose who shares something.
@available(
  *, unavailable,
  message:
    "There is no system that shows how to share. Set what CKShare and its participants say instead."
)
open class CKAllowedSharingOptions: NSObject, @unchecked Sendable {
  /// What guests may be allowed to do.
  open var allowedParticipantPermissionOptions: CKSharingParticipantPermissionOption
  /// Who may be let in.
  open var allowedParticipantAccessOptions: CKSharingParticipantAccessOption
  /// Whether the user may choose that people can ask to be let in.
  open var allowsAccessRequests = false

  /// Options of both kinds.
  public init(
    allowedParticipantPermissionOptions: CKSharingParticipantPermissionOption,
    allowedParticipantAccessOptions: CKSharingParticipantAccessOption
  ) {
    self.allowedParticipantPermissionOptions = allowedParticipantPermissionOptions
    self.allowedParticipantAccessOptions = allowedParticipantAccessOptions
  }
}
