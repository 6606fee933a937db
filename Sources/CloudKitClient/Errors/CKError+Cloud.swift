package import CloudRecords
import Foundation

extension CKError {
  /// In the details of an error that the server told: its sentence.
  static let serverDescriptionKey = "ServerErrorDescription"

  /// In the details of an error: that production's schema lacks a type or a field.
  static let schemaNotDeployedKey = "ParhelionSchemaNotDeployed"

  /// Whether the record needs a type or a field that is not deployed to production.
  package var tellsSchemaNotDeployed: Bool { errorUserInfo[Self.schemaNotDeployedKey] != nil }

  /// In the details of an error that nobody is signed in: the server's page to sign in on.
  static let signInAddressKey = "ParhelionSignInAddress"

  /// The error for what the server told, of a whole request or of one item.
  package init(_ error: CloudError) {
    var details: [String: Any] = [
      NSLocalizedDescriptionKey: error.reason, Self.serverDescriptionKey: error.reason,
    ]
    if let seconds = error.retryAfterSeconds { details[CKErrorRetryAfterKey] = NSNumber(value: Double(seconds)) }
    if let address = error.redirectURL { details[Self.signInAddressKey] = address }
    if error.extension == .encryptedDataReset {
      details[CKErrorUserDidResetEncryptedDataKey] = NSNumber(value: true)
    }
    if error.extension == .schemaNotDeployed { details[Self.schemaNotDeployedKey] = NSNumber(value: true) }
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
    case .changeTokenExpired: .changeTokenExpired
    case .userDeletedZone: .userDeletedZone
    case .encryptedDataReset: .zoneNotFound
    case .limitExceeded: .limitExceeded
    case .alreadyShared: .alreadyShared
    case .tooManyParticipants: .tooManyParticipants
    case .participantMayNeedVerification: .participantMayNeedVerification
    case .schemaNotDeployed: .invalidArguments
    }
  }
}
