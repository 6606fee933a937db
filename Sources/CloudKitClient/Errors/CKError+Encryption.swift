import CloudEncryption
import CloudRecords
import Foundation

extension CKError {
  /// What a program is told that wants to read or save encrypted values on a device without keys.
  static let needsApproval = keysMissing(
    "This device does not have the user's keys yet: enter the recovery code or approve the device from another one, by CKContainer.encryption."
  )

  private static func keysMissing(_ message: String) -> CKError {
    CKError(
      .accountTemporarilyUnavailable,
      userInfo: [NSLocalizedDescriptionKey: message, keysMissingKey: NSNumber(value: true)])
  }

  /// In the details of an error: the names of the fields that the server calls encrypted, and that
  /// no device has sealed.
  private static let unsealedFieldsKey = "ParhelionUnsealedFields"

  /// The encrypted fields of a record that no device has sealed; nil for any other error.
  ///
  /// Parhelion's addition. Such a record is not given out, since the server, or anybody who may
  /// write, could have made the values up. The code is `internalError`, as of all values that
  /// cannot be read. Save the record again on a device that has the true values, or, where the
  /// server is to encrypt, say so in the configuration (`encryptedValues`).
  public var unsealedFields: [String]? { errorUserInfo[Self.unsealedFieldsKey] as? [String] }

  /// The error of a record with values that are marked as encrypted, and that no device has sealed.
  static func notSealed(_ fields: [String], _ recordName: String) -> CKError {
    CKError(
      .internalError,
      userInfo: [
        NSLocalizedDescriptionKey:
          "The encrypted values \(fields.joined(separator: ", ")) of the record \(recordName) were not sealed by a device, so the server or anybody who may write could have made them up. Save the record again on a device that has the true values; if the server is to encrypt values, set encryptedValues of the container's configuration to server. (\(EncryptionError.Code.notSealed))",
        unreadableKey: NSNumber(value: true), unsealedFieldsKey: fields,
      ])
  }

  /// The error if the configuration leaves encryption to the server, but this device has sealed
  /// values.
  static func sealedBefore(_ address: CloudAddress) -> CKError {
    CKError(
      .badContainer,
      "The configuration of \(address.container.container) leaves encryption to the server (encryptedValues), but this device has keys of the user and has sealed values until now. Nothing was sent. Remove encryptedValues from the configuration; if the server may see the values, remove the user's keys from the account folder first."
    )
  }

  /// What a program is told that asks for keys where the server encrypts.
  static func encryptedByServer(_ address: CloudAddress) -> CKError {
    CKError(
      .invalidArguments,
      "The configuration of \(address.container.container) leaves encryption to the server (encryptedValues), so that this device has no keys."
    )
  }

  /// What a program is told that seals values for a server which does not know of keys.
  static func keepsNoKeys(_ address: CloudAddress, _ error: CKError) -> CKError {
    CKError(
      .invalidArguments,
      "\(address.server) keeps no keys for encrypted values, as servers of Parhelion's do, so that this device cannot seal any for it (\(error.localizedDescription)). If the server may see them and encrypts them itself, set encryptedValues of the container's configuration to server."
    )
  }

  private static func encryption(_ error: EncryptionError) -> CKError {
    var details: [String: Any] = [NSLocalizedDescriptionKey: "\(error.message) (\(error.code))"]
    if error.code.isOfValue { details[unreadableKey] = NSNumber(value: true) }
    if error.code.passesWithKeys { details[keysAwaitedKey] = NSNumber(value: true) }
    return CKError(error.code.clientCode, userInfo: details)
  }

  /// The error of the API for what went wrong with keys.
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
  /// Whether it is about one value, which stays as it is until somebody saves it anew or its key
  /// comes.
  fileprivate var isOfValue: Bool {
    [.tampered, .notSealed, .unknownKey, .unknownVersion, .keysNotHandedOut].contains(self)
  }

  /// Whether the value can be opened once keys come, or somebody's keys are trusted.
  fileprivate var passesWithKeys: Bool {
    [.unknownKey, .keysNotHandedOut, .identityChanged].contains(self)
  }

  fileprivate var clientCode: CKError.Code {
    switch self {
    case .deviceNotApproved, .keysReplaced: .accountTemporarilyUnavailable
    case .keysNotHandedOut, .notOwner, .identityChanged, .wrongApprovalCode, .notAnswered:
      .permissionFailure
    case .busy: .zoneBusy
    case .unknownVersion, .storeOfLaterVersion: .incompatibleVersion
    case .cannotBeSealed, .malformedRecoveryCode, .wrongRecoveryCode, .noSuchRequest:
      .invalidArguments
    default: .internalError
    }
  }
}
