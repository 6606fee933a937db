package import CloudRecords
import Foundation

extension CKError {
  /// The key of the server's message in an error's `userInfo`.
  static let serverDescriptionKey = "ServerErrorDescription"

  /// Marks an error: production's schema lacks a type or a field.
  static let schemaNotDeployedKey = "ParhelionSchemaNotDeployed"

  /// Whether the record needs a type or a field that is not deployed to production.
  package var isSchemaNotDeployed: Bool { errorUserInfo[Self.schemaNotDeployedKey] != nil }

  /// Marks an error: the token belongs to a deleted zone of the same name.
  static let zoneRecreatedKey = "ParhelionZoneRecreated"

  /// Whether the zone was deleted and recreated.
  ///
  /// The new zone's feed says nothing about the old zone's records.
  package var isZoneRecreated: Bool { errorUserInfo[Self.zoneRecreatedKey] != nil }

  /// The key of the lost changes in an error's `userInfo`.
  private static let lostHistoryKey = "ParhelionLostHistory"

  /// The changes that a restored server lost, if the token is older than the restore and the server
  /// reports them.
  package var lostHistory: LostHistory? {
    (errorUserInfo[Self.lostHistoryKey] as? String).flatMap(LostHistory.init(text:))
  }

  /// Marks an error: the signed-in user is not the one that the request was limited to.
  private static let otherUserKey = "ParhelionOtherUser"

  /// Whether no request was sent, because another user is signed in or the user is unknown.
  package var isOtherUser: Bool { errorUserInfo[Self.otherUserKey] != nil }

  /// The error if the signed-in user is not the one that the request was limited to.
  package static let otherUser = CKError(
    .notAuthenticated,
    userInfo: [
      NSLocalizedDescriptionKey:
        "Another user has signed in meanwhile, or the container was bound to another server. The request was not sent.",
      otherUserKey: NSNumber(value: true),
    ])

  /// Marks an error: this device lacks the user's encryption keys.
  static let keysMissingKey = "ParhelionKeysMissing"

  /// Whether this device lacks the user's encryption keys.
  package var areKeysMissing: Bool { errorUserInfo[Self.keysMissingKey] != nil }

  /// Marks an error: a record's contents cannot be decrypted.
  static let unreadableKey = "ParhelionUnreadable"

  /// Marks an error: a record's contents can be decrypted once keys arrive.
  static let keysAwaitedKey = "ParhelionKeysAwaited"

  /// Whether the record becomes readable when another user delivers keys or the user trusts
  /// another's keys.
  ///
  /// The feed does not report the record again then.
  package var awaitsKeys: Bool { errorUserInfo[Self.keysAwaitedKey] != nil }

  /// Whether a later version of this library sealed the record, so that this version can never read
  /// it.
  package var needsLaterLibrary: Bool {
    code == .incompatibleVersion && errorUserInfo[Self.unreadableKey] != nil
  }

  /// Whether the record exists but cannot be read: an asset's file is gone, or an encrypted value
  /// is damaged or lacks its key.
  package var isUnreadable: Bool {
    code == .assetNotAvailable || errorUserInfo[Self.unreadableKey] != nil
  }

  /// Whether a feed's token may advance although a record failed with this error: the record does
  /// not exist, or is unreadable for good or until keys arrive.
  ///
  /// Any other error, such as a network failure or a full disk, holds the token, because the feed
  /// would not report the record again.
  package var allowsFeedToAdvance: Bool {
    isUnreadable || awaitsKeys || areKeysMissing || code == .unknownItem
  }

  /// The error if the server reports more results but repeats the same position.
  ///
  /// Continuing would never end. The code is `internalError`, because the server is faulty: neither
  /// another request nor waiting helps.
  static let noProgress = CKError(
    .internalError,
    "The server reports more results, but returned the same position again. The rest cannot be fetched."
  )

  /// The key of the sign-in page's URL in an error's `userInfo`.
  static let signInAddressKey = "ParhelionSignInAddress"

  /// Creates an error from the server's error, of a whole request or of one item.
  package init(_ error: CloudError) {
    var details: [String: Any] = [
      NSLocalizedDescriptionKey: error.reason, Self.serverDescriptionKey: error.reason,
    ]
    if let seconds = error.retryAfterSeconds {
      details[CKErrorRetryAfterKey] = NSNumber(value: Double(seconds))
    }
    if let address = error.redirectURL { details[Self.signInAddressKey] = address }
    if error.extension == .encryptedDataReset {
      details[CKErrorUserDidResetEncryptedDataKey] = NSNumber(value: true)
    }
    if error.extension == .zoneRecreated { details[Self.zoneRecreatedKey] = NSNumber(value: true) }
    if error.extension == .schemaNotDeployed {
      details[Self.schemaNotDeployedKey] = NSNumber(value: true)
    }
    if let lost = error.lostHistory { details[Self.lostHistoryKey] = lost.text }
    let known = error.extension?.clientCode ?? error.code.clientCode
    self.init(error.unknownCode == CloudError.zoneBusyCode ? .zoneBusy : known, userInfo: details)
  }
}

extension CloudError {
  /// An undocumented code that servers send for an overloaded zone.
  static let zoneBusyCode = "ZONE_BUSY"
}

extension CloudErrorCode {
  /// The code in the public API.
  fileprivate var clientCode: CKError.Code {
    switch self {
    case .accessDenied: .permissionFailure
    case .atomicError: .batchRequestFailed
    case .authenticationFailed, .authenticationRequired: .notAuthenticated
    case .badRequest: .invalidArguments
    case .conflict, .exists: .serverRecordChanged
    case .internalError: .internalError
    case .notFound: .unknownItem
    case .quotaExceeded: .quotaExceeded
    case .throttled: .requestRateLimited
    case .tryAgainLater: .serviceUnavailable
    case .validatingReferenceError: .referenceViolation
    case .zoneNotFound: .zoneNotFound
    }
  }
}

extension CloudError.Extension {
  /// The code in the public API, which distinguishes more cases than the wire.
  fileprivate var clientCode: CKError.Code {
    switch self {
    case .changeTokenExpired, .zoneRecreated: .changeTokenExpired
    case .userDeletedZone: .userDeletedZone
    case .encryptedDataReset: .zoneNotFound
    case .keysReplaced: .accountTemporarilyUnavailable
    case .keyRetired: .zoneBusy
    case .limitExceeded: .limitExceeded
    case .alreadyShared: .alreadyShared
    case .tooManyParticipants: .tooManyParticipants
    case .participantMayNeedVerification: .participantMayNeedVerification
    case .participantAlreadyInvited: .participantAlreadyInvited
    case .schemaNotDeployed: .invalidArguments
    case .apiTokenRefused: .badContainer
    }
  }
}
