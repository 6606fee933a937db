public import Foundation
import Synchronization

/// The permissions that a sharing sheet offers for participants.
public struct CKSharingParticipantPermissionOption: OptionSet, Sendable {
  /// The options as a bit mask.
  public let rawValue: UInt

  /// Creates options from a bit mask.
  public init(rawValue: UInt) { self.rawValue = rawValue }

  /// Participants may read.
  public static let readOnly = CKSharingParticipantPermissionOption(rawValue: 1 << 0)
  /// Participants may read and write.
  public static let readWrite = CKSharingParticipantPermissionOption(rawValue: 1 << 1)
  /// The user chooses.
  public static let any: CKSharingParticipantPermissionOption = [.readOnly, .readWrite]
}

/// The access to a share that a sharing sheet offers.
public struct CKSharingParticipantAccessOption: OptionSet, Sendable {
  /// The options as a bit mask.
  public let rawValue: UInt

  /// Creates options from a bit mask.
  public init(rawValue: UInt) { self.rawValue = rawValue }

  /// Everyone who has the link.
  public static let anyoneWithLink = CKSharingParticipantAccessOption(rawValue: 1 << 0)
  /// Invited people only.
  public static let specifiedRecipientsOnly = CKSharingParticipantAccessOption(rawValue: 1 << 1)
  /// The user chooses.
  public static let any: CKSharingParticipantAccessOption = [
    .anyoneWithLink, .specifiedRecipientsOnly,
  ]
}

// Sendable: the values are under the lock.
/// The choices that a sharing sheet offers to the user.
///
/// ``CloudSharingSession`` rejects changes that its options do not allow.
open class CKAllowedSharingOptions: NSObject, NSCopying, NSSecureCoding, @unchecked Sendable {
  private struct Values: Equatable {
    var permissions: CKSharingParticipantPermissionOption
    var access: CKSharingParticipantAccessOption
    var allowsRequests = false
    var allowsInviting = false
  }

  private let values: Mutex<Values>

  /// Creates options from permissions and access options.
  public init(
    allowedParticipantPermissionOptions: CKSharingParticipantPermissionOption,
    allowedParticipantAccessOptions: CKSharingParticipantAccessOption
  ) {
    values = Mutex(
      Values(
        permissions: allowedParticipantPermissionOptions, access: allowedParticipantAccessOptions))
  }

  private init(_ values: Values) { self.values = Mutex(values) }

  /// Options that allow all permissions and both kinds of access.
  open class var standard: CKAllowedSharingOptions {
    CKAllowedSharingOptions(
      allowedParticipantPermissionOptions: .any, allowedParticipantAccessOptions: .any)
  }

  /// The permissions that participants may get.
  open var allowedParticipantPermissionOptions: CKSharingParticipantPermissionOption {
    get { values.withLock { $0.permissions } }
    set { values.withLock { $0.permissions = newValue } }
  }

  /// The kinds of access that the share may have.
  open var allowedParticipantAccessOptions: CKSharingParticipantAccessOption {
    get { values.withLock { $0.access } }
    set { values.withLock { $0.access = newValue } }
  }

  /// Whether the user may let people with the link request access; `false` by default.
  open var allowsAccessRequests: Bool {
    get { values.withLock { $0.allowsRequests } }
    set { values.withLock { $0.allowsRequests = newValue } }
  }

  /// Whether the user may make participants administrators, who invite others; `false` by default.
  open var allowsParticipantsToInviteOthers: Bool {
    get { values.withLock { $0.allowsInviting } }
    set { values.withLock { $0.allowsInviting = newValue } }
  }

  // MARK: Archives

  /// Creates options from an archive; nil if the archive contains none.
  public required init?(coder: NSCoder) {
    guard coder.containsValue(forKey: Key.permissions) else { return nil }
    func mask(_ key: String) -> UInt { UInt(clamping: coder.decodeInteger(forKey: key)) }
    values = Mutex(
      Values(
        permissions: CKSharingParticipantPermissionOption(rawValue: mask(Key.permissions)),
        access: CKSharingParticipantAccessOption(rawValue: mask(Key.access)),
        allowsRequests: coder.decodeBool(forKey: Key.allowsRequests),
        allowsInviting: coder.decodeBool(forKey: Key.allowsInviting)))
  }

  /// Encodes the options into an archive.
  open func encode(with coder: NSCoder) {
    let values = values.withLock { $0 }
    coder.encode(Int(clamping: values.permissions.rawValue), forKey: Key.permissions)
    coder.encode(Int(clamping: values.access.rawValue), forKey: Key.access)
    coder.encode(values.allowsRequests, forKey: Key.allowsRequests)
    coder.encode(values.allowsInviting, forKey: Key.allowsInviting)
  }

  private enum Key {
    static let permissions = "AllowedParticipantPermissionOptions"
    static let access = "AllowedParticipantAccessOptions"
    static let allowsRequests = "AllowsAccessRequests"
    static let allowsInviting = "AllowsParticipantsToInviteOthers"
  }

  /// Whether the class supports secure coding, which it does.
  public static var supportsSecureCoding: Bool { true }

  /// Returns independent options with the same values.
  open func copy(with zone: NSZone? = nil) -> Any {
    CKAllowedSharingOptions(values.withLock { $0 })
  }

  /// Whether two options allow the same.
  open override func isEqual(_ object: Any?) -> Bool {
    guard let other = object as? CKAllowedSharingOptions else { return false }
    return values.withLock { $0 } == other.values.withLock { $0 }
  }

  /// A hash that is the same for equal options.
  open override var hash: Int {
    values.withLock { Int(clamping: $0.permissions.rawValue &* 4 &+ $0.access.rawValue) }
  }
}
