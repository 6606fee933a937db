import CloudEncryption
import CloudRecords
import Foundation

extension CKError {
  /// The error for using encrypted values on a device without keys.
  static let needsApproval = keysMissing(
    "This device does not have the user's keys yet. Enter the recovery code, or approve this device on another one, with CKContainer.encryption."
  )

  private static func keysMissing(_ message: String) -> CKError {
    CKError(
      .accountTemporarilyUnavailable,
      userInfo: [NSLocalizedDescriptionKey: message, keysMissingKey: NSNumber(value: true)])
  }

  /// The key of the unsealed fields in an error's `userInfo`.
  private static let unsealedFieldsKey = "ParhelionUnsealedFields"

  /// The names of a record's encrypted fields that no device has sealed; nil for other errors.
  ///
  /// They include plain fields that were encrypted when this process saw the record before.
  ///
  /// Parhelion's addition. Such a record is not returned, because the server, or anyone with write
  /// access, could have forged the values. The code is `internalError`, as for all unreadable
  /// values. Save the record again on a device with the correct values. If the server is to
  /// encrypt, set `encryptedValues` in the configuration.
  public var unsealedFields: [String]? { errorUserInfo[Self.unsealedFieldsKey] as? [String] }

  /// The key of the people with changed keys in an error's `userInfo`.
  private static let changedPeopleKey = "ParhelionChangedPeople"

  /// The people for whom the server shows other keys than this device trusts; nil for other errors.
  ///
  /// Parhelion's addition. The code is `permissionFailure`. Nothing is sealed for a share with such
  /// a person until the user has confirmed the new safety number
  /// (``CKContainer/Encryption/confirm(safetyNumber:with:)``) or removed the person.
  public var peopleWithChangedKeys: [CKRecord.ID]? {
    errorUserInfo[Self.changedPeopleKey] as? [CKRecord.ID]
  }

  /// The error for values that are marked as encrypted but that no device has sealed.
  static func notSealed(_ fields: [String], _ recordName: String) -> CKError {
    CKError(
      .internalError,
      userInfo: [
        NSLocalizedDescriptionKey:
          "The encrypted values \(fields.joined(separator: ", ")) of the record \(recordName) were not sealed by a device, so the server or anyone with write access could have forged them. Save the record again on a device with the correct values. If the server is to encrypt values, set encryptedValues of the container's configuration to server. (\(EncryptionError.Code.notSealed))",
        unreadableKey: NSNumber(value: true), unsealedFieldsKey: fields,
      ])
  }

  /// The error for a configuration that leaves encryption to the server, on a device that has
  /// sealed values.
  static func sealedBefore(_ address: CloudAddress) -> CKError {
    CKError(
      .badContainer,
      "The configuration of \(address.container.container) leaves encryption to the server (encryptedValues), but this device has keys of the user and has sealed values until now. Nothing was sent. To keep sealing values, remove encryptedValues from the configuration. To let the server read the values instead, remove the user's keys from the account folder."
    )
  }

  /// The error for using keys if the server encrypts.
  static func encryptedByServer(_ address: CloudAddress) -> CKError {
    CKError(
      .invalidArguments,
      "The configuration of \(address.container.container) leaves encryption to the server (encryptedValues), so this device has no keys."
    )
  }

  /// The error for sealing values if the server cannot store key bags.
  static func keepsNoKeys(_ address: CloudAddress, _ error: CKError) -> CKError {
    CKError(
      .invalidArguments,
      "\(address.server) does not store encryption keys as Parhelion's servers do, so this device cannot seal values for it (\(error.localizedDescription)). If the server encrypts values itself and may read them, set encryptedValues of the container's configuration to server."
    )
  }

  private static func encryption(_ error: EncryptionError) -> CKError {
    var details: [String: Any] = [NSLocalizedDescriptionKey: "\(error.message) (\(error.code))"]
    if error.code.isOfValue { details[unreadableKey] = NSNumber(value: true) }
    if error.code.passesWithKeys { details[keysAwaitedKey] = NSNumber(value: true) }
    if error.code == .identityChanged {
      details[changedPeopleKey] = error.people.map { CKRecord.ID(received: $0, zoneID: .default) }
    }
    return CKError(error.code.clientCode, userInfo: details)
  }

  /// Creates an error from an error of the key engine.
  package init(encryption error: any Error) {
    switch error {
    case let error as CKError: self = error
    case let error as CloudError: self.init(error)
    case let error as EncryptionError
    where error.code == .deviceNotApproved || error.code == .keysReplaced:
      self = Self.keysMissing("\(error.message) (\(error.code))")
    case let error as EncryptionError: self = Self.encryption(error)
    case is CancellationError: self.init(.operationCancelled)
    default: self.init(.internalError, "\(error)")
    }
  }
}

extension EncryptionError.Code {
  /// Whether the error concerns one value.
  ///
  /// The error persists until the value is saved again, or the missing key or permission arrives.
  fileprivate var isOfValue: Bool {
    [
      .tampered, .notSealed, .notSigned, .wrongSignature, .notWriter, .leftOut, .unknownKey,
      .unknownVersion, .keysNotDelivered,
    ].contains(self)
  }

  /// Whether the value can be opened once keys arrive or another user's keys are trusted.
  fileprivate var passesWithKeys: Bool {
    [.unknownKey, .keysNotDelivered, .identityChanged, .notWriter].contains(self)
  }

  fileprivate var clientCode: CKError.Code {
    switch self {
    case .deviceNotApproved, .keysReplaced: .accountTemporarilyUnavailable
    case .keysNotDelivered, .notOwner, .identityChanged, .notVerified, .wrongApprovalCode,
      .notAnswered:
      .permissionFailure
    case .busy: .zoneBusy
    case .unknownVersion, .storeOfLaterVersion: .incompatibleVersion
    case .cannotBeSealed, .malformedRecoveryCode, .wrongRecoveryCode, .noSuchRequest:
      .invalidArguments
    default: .internalError
    }
  }
}
