extension CKError {
  /// The error codes of CloudKit.
  public enum Code: Int, CaseIterable, Sendable {
    /// An error in the library or on the server without a separate code.
    case internalError = 1
    /// Some items failed. `partialErrorsByItemID` contains their errors.
    case partialFailure = 2
    /// There is no network connection.
    case networkUnavailable = 3
    /// The network is available, but the request failed.
    case networkFailure = 4
    /// The container is unknown or wrongly configured, or the app may not use it.
    case badContainer = 5
    /// The service is temporarily unavailable. Retry after `retryAfterSeconds`.
    case serviceUnavailable = 6
    /// Too many requests. Retry after `retryAfterSeconds`.
    case requestRateLimited = 7
    /// The container is not configured.
    case missingEntitlement = 8
    /// No user is signed in, or the user cannot be authenticated.
    case notAuthenticated = 9
    /// The user lacks the permission for the request.
    case permissionFailure = 10
    /// The record, zone or subscription does not exist.
    case unknownItem = 11
    /// The request contains invalid values.
    case invalidArguments = 12
    /// The results are incomplete. No longer used.
    case resultsTruncated = 13
    /// Another client saved the record since it was fetched. The details contain all versions.
    case serverRecordChanged = 14
    /// The server rejected the request. A retry does not help.
    case serverRejectedRequest = 15
    /// The file of an asset does not exist.
    case assetFileNotFound = 16
    /// The file of an asset changed during the upload.
    case assetFileModified = 17
    /// The app's version is too old, for example because a later version wrote the data.
    case incompatibleVersion = 18
    /// The server rejected a duplicate value of a unique field.
    case constraintViolation = 19
    /// The operation was cancelled.
    case operationCancelled = 20
    /// The change token has expired. Fetch everything again without a token.
    case changeTokenExpired = 21
    /// Another item of the same atomic batch failed, so this one was not saved.
    case batchRequestFailed = 22
    /// The zone is overloaded. Retry after `retryAfterSeconds`.
    case zoneBusy = 23
    /// The database does not support the request.
    case badDatabase = 24
    /// The storage quota is exceeded.
    case quotaExceeded = 25
    /// The zone does not exist. Save it first.
    case zoneNotFound = 26
    /// The request is too large. Split it.
    case limitExceeded = 27
    /// The user deleted the zone. Do not upload its data again without asking the user.
    case userDeletedZone = 28
    /// The share has too many participants.
    case tooManyParticipants = 29
    /// The record or its hierarchy belongs to another share.
    case alreadyShared = 30
    /// The target of a reference does not exist.
    case referenceViolation = 31
    /// The administrator of a managed account forbids the request.
    case managedAccountRestricted = 32
    /// The participant must be verified before accepting the share.
    case participantMayNeedVerification = 33
    /// The response was lost. The request may have been performed.
    case serverResponseLost = 34
    /// The file of an asset is not available.
    case assetNotAvailable = 35
    /// The account cannot be used until the user takes action.
    case accountTemporarilyUnavailable = 36
    /// The requester is already invited to the share and needs only to accept.
    case participantAlreadyInvited = 37
  }
}

/// The codes as members of `CKError`, as in `catch CKError.networkFailure`.
extension CKError {
  /// An error in the library or on the server without a separate code.
  public static var internalError: Code { .internalError }
  /// Some items failed.
  ///
  /// `partialErrorsByItemID` contains their errors.
  public static var partialFailure: Code { .partialFailure }
  /// There is no network connection.
  public static var networkUnavailable: Code { .networkUnavailable }
  /// The network is available, but the request failed.
  public static var networkFailure: Code { .networkFailure }
  /// The container is unknown or wrongly configured, or the app may not use it.
  public static var badContainer: Code { .badContainer }
  /// The service is temporarily unavailable.
  ///
  /// Retry after `retryAfterSeconds`.
  public static var serviceUnavailable: Code { .serviceUnavailable }
  /// Too many requests.
  ///
  /// Retry after `retryAfterSeconds`.
  public static var requestRateLimited: Code { .requestRateLimited }
  /// The container is not configured.
  public static var missingEntitlement: Code { .missingEntitlement }
  /// No user is signed in, or the user cannot be authenticated.
  public static var notAuthenticated: Code { .notAuthenticated }
  /// The user lacks the permission for the request.
  public static var permissionFailure: Code { .permissionFailure }
  /// The record, zone or subscription does not exist.
  public static var unknownItem: Code { .unknownItem }
  /// The request contains invalid values.
  public static var invalidArguments: Code { .invalidArguments }
  /// The results are incomplete.
  ///
  /// No longer used.
  public static var resultsTruncated: Code { .resultsTruncated }
  /// Another client saved the record since it was fetched.
  ///
  /// The details contain all versions.
  public static var serverRecordChanged: Code { .serverRecordChanged }
  /// The server rejected the request.
  ///
  /// A retry does not help.
  public static var serverRejectedRequest: Code { .serverRejectedRequest }
  /// The file of an asset does not exist.
  public static var assetFileNotFound: Code { .assetFileNotFound }
  /// The file of an asset changed during the upload.
  public static var assetFileModified: Code { .assetFileModified }
  /// The app's version is too old, for example because a later version wrote the data.
  public static var incompatibleVersion: Code { .incompatibleVersion }
  /// The server rejected a duplicate value of a unique field.
  public static var constraintViolation: Code { .constraintViolation }
  /// The operation was cancelled.
  public static var operationCancelled: Code { .operationCancelled }
  /// The change token has expired.
  ///
  /// Fetch everything again without a token.
  public static var changeTokenExpired: Code { .changeTokenExpired }
  /// Another item of the same atomic batch failed, so this one was not saved.
  public static var batchRequestFailed: Code { .batchRequestFailed }
  /// The zone is overloaded.
  ///
  /// Retry after `retryAfterSeconds`.
  public static var zoneBusy: Code { .zoneBusy }
  /// The database does not support the request.
  public static var badDatabase: Code { .badDatabase }
  /// The storage quota is exceeded.
  public static var quotaExceeded: Code { .quotaExceeded }
  /// The zone does not exist.
  ///
  /// Save it first.
  public static var zoneNotFound: Code { .zoneNotFound }
  /// The request is too large.
  ///
  /// Split it.
  public static var limitExceeded: Code { .limitExceeded }
  /// The user deleted the zone.
  ///
  /// Do not upload its data again without asking the user.
  public static var userDeletedZone: Code { .userDeletedZone }
  /// The share has too many participants.
  public static var tooManyParticipants: Code { .tooManyParticipants }
  /// The record or its hierarchy belongs to another share.
  public static var alreadyShared: Code { .alreadyShared }
  /// The target of a reference does not exist.
  public static var referenceViolation: Code { .referenceViolation }
  /// The administrator of a managed account forbids the request.
  public static var managedAccountRestricted: Code { .managedAccountRestricted }
  /// The participant must be verified before accepting the share.
  public static var participantMayNeedVerification: Code { .participantMayNeedVerification }
  /// The response was lost.
  ///
  /// The request may have been performed.
  public static var serverResponseLost: Code { .serverResponseLost }
  /// The file of an asset is not available.
  public static var assetNotAvailable: Code { .assetNotAvailable }
  /// The account cannot be used until the user takes action.
  public static var accountTemporarilyUnavailable: Code { .accountTemporarilyUnavailable }
  /// The requester is already invited to the share and needs only to accept.
  public static var participantAlreadyInvited: Code { .participantAlreadyInvited }
}
