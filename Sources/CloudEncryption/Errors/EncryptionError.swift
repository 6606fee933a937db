/// Why something could not be sealed, opened or handed on.
///
/// A value is given out only if it was sealed for its field of its record: in every other case
/// there is one of these. Whether it is the latest one that was sealed there, nothing tells.
package struct EncryptionError: Error, Hashable, Sendable, CustomStringConvertible {
  /// What kind of error it is.
  package struct Code: RawRepresentable, Hashable, Sendable, CustomStringConvertible {
    package let rawValue: String

    package init(rawValue: String) { self.rawValue = rawValue }

    package var description: String { rawValue }

    // MARK: Values

    /// The field has no sealed value, though it says so: somebody saved it in plain, or it was
    /// damaged.
    package static let notSealed = Code(rawValue: "notSealed")
    /// The value is not what was sealed for this field of this record.
    package static let tampered = Code(rawValue: "tampered")
    /// A later version of this library sealed it.
    package static let unknownVersion = Code(rawValue: "unknownVersion")
    /// The device does not have the key, and the key bag does not either.
    package static let unknownKey = Code(rawValue: "unknownKey")
    /// References and assets cannot be sealed.
    package static let cannotBeSealed = Code(rawValue: "cannotBeSealed")

    // MARK: Keys

    /// The owner has not sealed the keys for this user.
    package static let keysNotHandedOut = Code(rawValue: "keysNotHandedOut")
    /// A key bag is not what its writer signed.
    package static let forgedBag = Code(rawValue: "forgedBag")
    /// A key bag is older than one that the device has seen.
    package static let rolledBack = Code(rawValue: "rolledBack")
    /// Others changed a key bag at the same time, again and again.
    package static let busy = Code(rawValue: "busy")
    /// Only the owner of a zone can do this.
    package static let notOwner = Code(rawValue: "notOwner")

    // MARK: Users and devices

    /// The user has keys, but this device does not.
    package static let deviceNotApproved = Code(rawValue: "deviceNotApproved")
    /// Another device of the user made new keys for all.
    package static let keysReplaced = Code(rawValue: "keysReplaced")
    /// Somebody else's public key is not the one that the device knows.
    package static let identityChanged = Code(rawValue: "identityChanged")
    /// A recovery code that is mistyped.
    package static let malformedRecoveryCode = Code(rawValue: "malformedRecoveryCode")
    /// A recovery code of another account, or of earlier keys.
    package static let wrongRecoveryCode = Code(rawValue: "wrongRecoveryCode")
    /// The steps of an approval do not belong together: somebody may sit between the devices.
    package static let approvalFailed = Code(rawValue: "approvalFailed")
    /// The user typed digits that are not those of the request.
    package static let wrongApprovalCode = Code(rawValue: "wrongApprovalCode")
    /// The new device has not revealed anything yet, so there are no digits to type.
    package static let notAnswered = Code(rawValue: "notAnswered")
    /// There is no such request of a device.
    package static let noSuchRequest = Code(rawValue: "noSuchRequest")

    // MARK: The key store

    /// Others can read or change the folder or a file of it.
    package static let storeNotPrivate = Code(rawValue: "storeNotPrivate")
    /// A file of the key store is not as it was written.
    package static let storeDamaged = Code(rawValue: "storeDamaged")
    /// A later version of this library, or one before its first release, wrote a file of the key
    /// store.
    package static let storeOfLaterVersion = Code(rawValue: "storeOfLaterVersion")
    /// The system refuses to read or write the key store.
    package static let storeUnavailable = Code(rawValue: "storeUnavailable")
  }

  package let code: Code
  /// What was wrong, where, and what to do.
  package let message: String

  package init(_ code: Code, _ message: String) {
    self.code = code
    self.message = message
  }

  package var description: String { "\(code): \(message)" }
}
