extension CKError {
  /// The kinds of errors.
  public enum Code: Int, CaseIterable, Sendable {
    /// Something is wrong in the library or on the server that has no name of its own.
    case internalError = 1
    /// Some of what was asked failed: `partialErrorsByItemID` says which. Deprecated completion
    /// blocks alone are told so.
    case partialFailure = 2
    /// There is no network.
    case networkUnavailable = 3
    /// The network is there, and the request did not get through.
    case networkFailure = 4
    /// The container is not known, or the program may not use it.
    case badContainer = 5
    /// The server cannot answer now: wait as long as `retryAfterSeconds` says.
    case serviceUnavailable = 6
    /// Too many requests: wait as long as `retryAfterSeconds` says.
    case requestRateLimited = 7
    /// The program lacks the configuration that the container needs.
    case missingEntitlement = 8
    /// Nobody is signed in, or who is cannot be verified.
    case notAuthenticated = 9
    /// Who is signed in may not do this.
    case permissionFailure = 10
    /// The record, zone or subscription does not exist.
    case unknownItem = 11
    /// The request says something that cannot be.
    case invalidArguments = 12
    /// Only a part of the results was given; no longer used.
    case resultsTruncated = 13
    /// Somebody saved the record after the client fetched it: the details have all three versions.
    case serverRecordChanged = 14
    /// The server refused the request, and trying again does not help.
    case serverRejectedRequest = 15
    /// The file of an asset is not there.
    case assetFileNotFound = 16
    /// The file of an asset changed while it was uploaded.
    case assetFileModified = 17
    /// The program is older than what the server still understands.
    case incompatibleVersion = 18
    /// The server refused the value of a field that must be unique.
    case constraintViolation = 19
    /// The operation was cancelled.
    case operationCancelled = 20
    /// The token is older than the server remembers: fetch everything from the beginning.
    case changeTokenExpired = 21
    /// Nothing was wrong with this item: another one of the same batch failed, and they are saved
    /// all or none.
    case batchRequestFailed = 22
    /// The zone has too much to do now: wait as long as `retryAfterSeconds` says.
    case zoneBusy = 23
    /// This cannot be done in this database.
    case badDatabase = 24
    /// There is no room left.
    case quotaExceeded = 25
    /// The zone does not exist: save it first.
    case zoneNotFound = 26
    /// Too much for one request: ask for less at once.
    case limitExceeded = 27
    /// The user deleted the zone: do not upload its data again without asking.
    case userDeletedZone = 28
    /// A share cannot have so many participants.
    case tooManyParticipants = 29
    /// The record belongs to another share, or its hierarchy does.
    case alreadyShared = 30
    /// A reference leads to a record that does not exist.
    case referenceViolation = 31
    /// The account's administrator forbids this.
    case managedAccountRestricted = 32
    /// The participant must show that an invitation is theirs.
    case participantMayNeedVerification = 33
    /// The answer did not arrive: what was asked may have been done.
    case serverResponseLost = 34
    /// The file of an asset cannot be had now.
    case assetNotAvailable = 35
    /// The account cannot be used until the user has done something.
    case accountTemporarilyUnavailable = 36
    /// Who asks to be let into a share was invited to it: the invitation is to be accepted.
    case participantAlreadyInvited = 37
  }
}

/// The codes by the error's own name, as in `catch CKError.networkFailure`.
extension CKError {
  /// Something is wrong in the library or on the server that has no name of its own.
  public static var internalError: Code { .internalError }
  /// Some of what was asked failed: `partialErrorsByItemID` says which.
  public static var partialFailure: Code { .partialFailure }
  /// There is no network.
  public static var networkUnavailable: Code { .networkUnavailable }
  /// The network is there, and the request did not get through.
  public static var networkFailure: Code { .networkFailure }
  /// The container is not known, or the program may not use it.
  public static var badContainer: Code { .badContainer }
  /// The server cannot answer now: wait as long as `retryAfterSeconds` says.
  public static var serviceUnavailable: Code { .serviceUnavailable }
  /// Too many requests: wait as long as `retryAfterSeconds` says.
  public static var requestRateLimited: Code { .requestRateLimited }
  /// The program lacks the configuration that the container needs.
  public static var missingEntitlement: Code { .missingEntitlement }
  /// Nobody is signed in, or who is cannot be verified.
  public static var notAuthenticated: Code { .notAuthenticated }
  /// Who is signed in may not do this.
  public static var permissionFailure: Code { .permissionFailure }
  /// The record, zone or subscription does not exist.
  public static var unknownItem: Code { .unknownItem }
  /// The request says something that cannot be.
  public static var invalidArguments: Code { .invalidArguments }
  /// Only a part of the results was given; no longer used.
  public static var resultsTruncated: Code { .resultsTruncated }
  /// Somebody saved the record after the client fetched it: the details have all three versions.
  public static var serverRecordChanged: Code { .serverRecordChanged }
  /// The server refused the request, and trying again does not help.
  public static var serverRejectedRequest: Code { .serverRejectedRequest }
  /// The file of an asset is not there.
  public static var assetFileNotFound: Code { .assetFileNotFound }
  /// The file of an asset changed while it was uploaded.
  public static var assetFileModified: Code { .assetFileModified }
  /// The program is older than what the server still understands.
  public static var incompatibleVersion: Code { .incompatibleVersion }
  /// The server refused the value of a field that must be unique.
  public static var constraintViolation: Code { .constraintViolation }
  /// The operation was cancelled.
  public static var operationCancelled: Code { .operationCancelled }
  /// The token is older than the server remembers: fetch everything from the beginning.
  public static var changeTokenExpired: Code { .changeTokenExpired }
  /// Nothing was wrong with this item: another one of the same batch failed, and they are saved all
  /// or none.
  public static var batchRequestFailed: Code { .batchRequestFailed }
  /// The zone has too much to do now: wait as long as `retryAfterSeconds` says.
  public static var zoneBusy: Code { .zoneBusy }
  /// This cannot be done in this database.
  public static var badDatabase: Code { .badDatabase }
  /// There is no room left.
  public static var quotaExceeded: Code { .quotaExceeded }
  /// The zone does not exist: save it first.
  public static var zoneNotFound: Code { .zoneNotFound }
  /// Too much for one request: ask for less at once.
  public static var limitExceeded: Code { .limitExceeded }
  /// The user deleted the zone: do not upload its data again without asking.
  public static var userDeletedZone: Code { .userDeletedZone }
  /// A share cannot have so many participants.
  public static var tooManyParticipants: Code { .tooManyParticipants }
  /// The record belongs to another share, or its hierarchy does.
  public static var alreadyShared: Code { .alreadyShared }
  /// A reference leads to a record that does not exist.
  public static var referenceViolation: Code { .referenceViolation }
  /// The account's administrator forbids this.
  public static var managedAccountRestricted: Code { .managedAccountRestricted }
  /// The participant must show that an invitation is theirs.
  public static var participantMayNeedVerification: Code { .participantMayNeedVerification }
  /// The answer did not arrive: what was asked may have been done.
  public static var serverResponseLost: Code { .serverResponseLost }
  /// The file of an asset cannot be had now.
  public static var assetNotAvailable: Code { .assetNotAvailable }
  /// The account cannot be used until the user has done something.
  public static var accountTemporarilyUnavailable: Code { .accountTemporarilyUnavailable }
  /// The participant was invited before.
  public static var participantAlreadyInvited: Code { .participantAlreadyInvited }
}
