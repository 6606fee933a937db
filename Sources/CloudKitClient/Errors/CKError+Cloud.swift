package import CloudRecords
import Foundation

extension CKError {
  /// In the details of an error that the server told: its sentence.
  static let serverDescriptionKey = "ServerErrorDescription"

  /// In the details of an error: that production's schema lacks a type or a field.
  static let schemaNotDeployedKey = "ParhelionSchemaNotDeployed"

  /// Whether the record needs a type or a field that is not deployed to production.
  package var tellsSchemaNotDeployed: Bool { errorUserInfo[Self.schemaNotDeployedKey] != nil }

  /// In the details of an error: that a place in a feed is one of another zone, which had the same
  /// name.
  static let zoneMadeAnewKey = "ParhelionZoneMadeAnew"

  /// Whether the zone was deleted and made anew: it lists nothing of what the former one had, and
  /// says nothing of what became of that.
  package var tellsZoneMadeAnew: Bool { errorUserInfo[Self.zoneMadeAnewKey] != nil }

  /// In the details of an error: which changes a restored server lost.
  private static let lostHistoryKey = "ParhelionLostHistory"

  /// The changes that a restored server lost, if the token is from before its restoration and the
  /// server says so.
  package var lostHistory: LostHistory? {
    (errorUserInfo[Self.lostHistoryKey] as? String).flatMap(LostHistory.init(text:))
  }

  /// In the details of an error: that somebody else is signed in than the user for whom alone
  /// something was to be asked.
  private static let otherUserKey = "ParhelionOtherUser"

  /// Whether nothing was asked, since another user is signed in, or it is not known who is.
  package var tellsOtherUser: Bool { errorUserInfo[Self.otherUserKey] != nil }

  static let otherUser = CKError(
    .notAuthenticated,
    userInfo: [
      NSLocalizedDescriptionKey:
        "Another user has signed in meanwhile, or the container was bound to another server: nothing was asked there.",
      otherUserKey: NSNumber(value: true),
    ])

  /// In the details of an error: that this device does not have the user's keys for encrypted
  /// values.
  static let keysMissingKey = "ParhelionKeysMissing"

  /// Whether it failed since this device does not have the user's keys for encrypted values.
  package var tellsKeysMissing: Bool { errorUserInfo[Self.keysMissingKey] != nil }

  /// In the details of an error: that what a record holds cannot be opened.
  static let unreadableKey = "ParhelionUnreadable"

  /// In the details of an error: that what a record holds can be opened once its keys come.
  static let keysAwaitedKey = "ParhelionKeysAwaited"

  /// Whether a record can be read once somebody else hands its keys out, or the user trusts
  /// somebody's: nothing tells of the record again then.
  package var awaitsKeys: Bool { errorUserInfo[Self.keysAwaitedKey] != nil }

  /// Whether a later version of this library has sealed what a record holds: this one never reads
  /// it.
  package var needsLaterLibrary: Bool {
    code == .incompatibleVersion && errorUserInfo[Self.unreadableKey] != nil
  }

  /// Whether a record is there and cannot be read for good: the file of an asset is gone, or an
  /// encrypted value is damaged or without its key.
  package var tellsUnreadable: Bool {
    code == .assetNotAvailable || errorUserInfo[Self.unreadableKey] != nil
  }

  /// The server says that there is more, and gives the place again that it was asked to go on from:
  /// whoever did would never come to an end.
  ///
  /// `internalError`: what is wrong is within the server, and neither another request nor waiting
  /// mends it.
  static let standsStill = CKError(
    .internalError,
    "The server says that more is to come, and gives the same place again to go on from. The rest cannot be fetched."
  )

  /// In the details of an error that nobody is signed in: the server's page to sign in on.
  static let signInAddressKey = "ParhelionSignInAddress"

  /// The error for what the server told, of a whole request or of one item.
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
    if error.extension == .zoneMadeAnew { details[Self.zoneMadeAnewKey] = NSNumber(value: true) }
    if error.extension == .schemaNotDeployed {
      details[Self.schemaNotDeployedKey] = NSNumber(value: true)
    }
    if let lost = error.lostHistory { details[Self.lostHistoryKey] = lost.text }
    let known = error.extension?.clientCode ?? error.code.clientCode
    self.init(error.unknownCode == CloudError.zoneBusyCode ? .zoneBusy : known, userInfo: details)
  }
}

extension CloudError {
  /// What servers say of a zone that has too much to do, which the documented codes do not have.
  static let zoneBusyCode = "ZONE_BUSY"
}

extension CloudErrorCode {
  /// The code in Apple's API.
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
  /// The code in Apple's API, which has more of them than the wire.
  fileprivate var clientCode: CKError.Code {
    switch self {
    case .changeTokenExpired, .zoneMadeAnew: .changeTokenExpired
    case .userDeletedZone: .userDeletedZone
    case .encryptedDataReset: .zoneNotFound
    case .keysReplaced: .accountTemporarilyUnavailable
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
