/// An error of sealing, opening or passing on values and keys.
///
/// A value is returned only if it was sealed for its field of its record. Otherwise one of these
/// errors is thrown. Nothing proves that a value is the latest one of its field.
package struct EncryptionError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The kind of an error.
  package struct Code: RawRepresentable, Hashable, Sendable, CustomStringConvertible {
    package let rawValue: String

    package init(rawValue: String) { self.rawValue = rawValue }

    package var description: String { rawValue }

    // MARK: Values

    /// The encrypted field has no sealed value: a client saved it as plain text, or it was damaged.
    package static let notSealed = Code(rawValue: "notSealed")
    /// The value was not sealed for this field of this record.
    package static let tampered = Code(rawValue: "tampered")
    /// A later version of this library sealed the value.
    package static let unknownVersion = Code(rawValue: "unknownVersion")
    /// Neither the device nor the key bag has the key.
    package static let unknownKey = Code(rawValue: "unknownKey")
    /// No user has signed the value.
    package static let notSigned = Code(rawValue: "notSigned")
    /// The value names a user, and the signature is not that user's.
    package static let wrongSignature = Code(rawValue: "wrongSignature")
    /// According to the key bag, the user who signed the value may not write in the zone or share.
    package static let notWriter = Code(rawValue: "notWriter")
    /// The server left out a value of the record's version that it shows.
    package static let leftOut = Code(rawValue: "leftOut")
    /// References and assets cannot be sealed.
    package static let cannotBeSealed = Code(rawValue: "cannotBeSealed")

    // MARK: Keys

    /// The owner has not sealed the keys to this user, or has no keys yet.
    package static let keysNotDelivered = Code(rawValue: "keysNotDelivered")
    /// A key bag does not match its writer's signature.
    package static let forgedBag = Code(rawValue: "forgedBag")
    /// A key bag is older than one that the device has seen.
    package static let rolledBack = Code(rawValue: "rolledBack")
    /// Other devices repeatedly changed a key bag at the same time.
    package static let busy = Code(rawValue: "busy")
    /// Only the owner of a zone can do this.
    package static let notOwner = Code(rawValue: "notOwner")

    // MARK: Users and devices

    /// The user has keys, but this device does not.
    package static let deviceNotApproved = Code(rawValue: "deviceNotApproved")
    /// Another device of the user replaced all keys.
    package static let keysReplaced = Code(rawValue: "keysReplaced")
    /// The policy requires that the user confirms the person's safety number first.
    package static let notVerified = Code(rawValue: "notVerified")
    /// Another user's public key differs from the one that the device trusts.
    package static let identityChanged = Code(rawValue: "identityChanged")
    /// A recovery code is mistyped.
    package static let malformedRecoveryCode = Code(rawValue: "malformedRecoveryCode")
    /// A recovery code belongs to another account or to earlier keys.
    package static let wrongRecoveryCode = Code(rawValue: "wrongRecoveryCode")
    /// The steps of an approval do not match: an attacker may be between the devices.
    package static let approvalFailed = Code(rawValue: "approvalFailed")
    /// The user typed digits that do not belong to the request.
    package static let wrongApprovalCode = Code(rawValue: "wrongApprovalCode")
    /// The new device has not revealed its values yet, so there are no digits to type.
    package static let notAnswered = Code(rawValue: "notAnswered")
    /// The device's request does not exist.
    package static let noSuchRequest = Code(rawValue: "noSuchRequest")

    // MARK: The key store

    /// Other users can read or change the key store's folder or a file in it.
    package static let storeNotPrivate = Code(rawValue: "storeNotPrivate")
    /// A file of the key store is damaged.
    package static let storeDamaged = Code(rawValue: "storeDamaged")
    /// A later version of this library, or one before its first release, wrote a file of the key
    /// store.
    package static let storeOfLaterVersion = Code(rawValue: "storeOfLaterVersion")
    /// The system cannot read or write the key store.
    package static let storeUnavailable = Code(rawValue: "storeUnavailable")
  }

  package let code: Code
  /// A description of the error, with the place and the remedy.
  package let message: String
  /// The people whose keys the error is about.
  package let people: [String]

  package init(_ code: Code, _ message: String, people: [String] = []) {
    self.code = code
    self.message = message
    self.people = people
  }

  package var description: String { "\(code): \(message)" }
}
