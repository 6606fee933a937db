import CloudRecords

/// The errors of the engine.
extension EncryptionError {
  static var stateRolledBack: EncryptionError {
    EncryptionError(
      .rolledBack,
      """
      The server shows an older list of known people and keys than the approving device has \
      written. Try again. If it persists, the server does not show this device what it shows the \
      other one.
      """
    )
  }

  static var noSuchRequest: EncryptionError {
    EncryptionError(
      .noSuchRequest,
      """
      The device's request no longer exists: it was withdrawn, rejected, answered by another \
      device, replaced by later requests, or expired after a day. Ask again on the new device.
      """
    )
  }

  /// The error for people whose keys changed.
  package static func changed(_ users: [String]) -> EncryptionError {
    let names = users.map { "“\($0)”" }.joined(separator: ", ")
    return EncryptionError(
      .identityChanged,
      """
      The public keys of \(names) differ from those that this device trusts: they were reset, or \
      the server sends false ones. Compare the safety number with the person and confirm it, or \
      remove the person from the share.
      """, people: users)
  }

  static func notOwner(_ scope: KeyScope) -> EncryptionError {
    EncryptionError(
      .notOwner,
      """
      Only the owner of \(scope.name) creates its keys and passes them on. Do it on a device of \
      the owner.
      """
    )
  }

  static func notAdministrator(_ scope: KeyScope) -> EncryptionError {
    EncryptionError(
      .notOwner,
      """
      The owner's key bag of \(scope.name) does not name this user as an administrator yet. A \
      device of the owner changes the keys.
      """
    )
  }

  static func withoutKeys(_ user: String) -> EncryptionError {
    EncryptionError(
      .keysNotDelivered,
      """
      The user “\(user)” has no public keys, so nothing from this user can be verified. The user \
      must first use encryption on a device.
      """
    )
  }

  static func otherOwner(_ user: String) -> EncryptionError {
    EncryptionError(
      .identityChanged,
      """
      The link names other keys of the owner “\(user)” than this device trusts or the server \
      shows: the link is old, or the server sends false keys. Ask the owner for a new link. If it \
      names other keys, too, compare safety numbers.
      """, people: [user])
  }

  static func notVerified(_ user: String) -> EncryptionError {
    EncryptionError(
      .notVerified,
      """
      The user's devices give keys only to verified people. Compare the safety number with \
      “\(user)” and confirm it; then the keys are delivered.
      """, people: [user])
  }

  static func unknown(_ reference: KeyReference) -> EncryptionError {
    EncryptionError(
      .unknownKey,
      """
      The key \(reference.key) of \(reference.scope.name) is neither on this device nor in the key \
      bag, so values that were sealed under it cannot be read. A device of the owner that has the \
      key restores it when it next uses the zone. If no device has it, reset the zone.
      """
    )
  }

  static func notSigned(_ place: String) -> EncryptionError {
    EncryptionError(
      .notSigned,
      """
      \(place) has no signature, so any person with the keys could have written it. Save the field \
      again.
      """
    )
  }

  static func wrongSignature(_ place: String) -> EncryptionError {
    EncryptionError(
      .wrongSignature,
      """
      \(place) was not written by the user whom it names: a person with the keys has written \
      it in that user's name, with the server's help. Save the field again.
      """
    )
  }

  static func unknownWriter(_ place: String) -> EncryptionError {
    EncryptionError(
      .notWriter,
      """
      \(place) was signed by a user whom the owner's key bag does not name. It can be read when a \
      device of the owner has added the user.
      """
    )
  }

  static func notWriter(_ user: String, _ place: String) -> EncryptionError {
    EncryptionError(
      .notWriter,
      """
      \(place) was written by “\(user)”, who may not write there according to the owner's key \
      bag. It can be read when a device of the owner has given the user that permission, or when \
      another user has saved the field again.
      """
    )
  }

  static func leftOut(_ place: String) -> EncryptionError {
    EncryptionError(
      .leftOut,
      """
      \(place) has a value in this version of the record, and the server does not show it. Fetch \
      the record again, or save the field again.
      """
    )
  }

  static func noKeys(_ scope: KeyScope) -> EncryptionError {
    EncryptionError(
      .keysNotDelivered,
      """
      There are no keys of \(scope.name) yet. They are created when its owner saves the first \
      encrypted value, or shares it.
      """
    )
  }

  static func rolledBack(_ scope: KeyScope) -> EncryptionError {
    EncryptionError(
      .rolledBack,
      """
      The server's key bag of \(scope.name) is older than one that this device has seen, so \
      nothing is sealed under its keys. If the server was restored from a backup, save a record in \
      the zone from a device of the owner.
      """
    )
  }

  static func replaced(_ account: EncryptionAccount) -> EncryptionError {
    EncryptionError(
      .keysReplaced,
      """
      The keys of “\(account.userRecordName)” in \(account.container.container) were replaced: \
      another device has reset the encrypted data. If that was the user, enter the new recovery \
      code on this device, or approve it from a device with the new keys.
      """
    )
  }

  static func busy(_ what: String) -> EncryptionError {
    EncryptionError(
      .busy,
      """
      \(what) was changed by other devices \(Limits.attempts) times while it was being written. \
      Try again later.
      """
    )
  }

  static func nothingToRecover(_ account: EncryptionAccount) -> EncryptionError {
    EncryptionError(
      .wrongRecoveryCode,
      """
      The user has no keys in \(account.container.container) that a code could open. Start again.
      """
    )
  }

  static func notApproved(_ account: EncryptionAccount) -> EncryptionError {
    EncryptionError(
      .deviceNotApproved,
      """
      This device does not have the keys of “\(account.userRecordName)” in \
      \(account.container.container). Enter the recovery code, or approve this device from another \
      one. If neither is possible, reset the encrypted data.
      """
    )
  }
}
