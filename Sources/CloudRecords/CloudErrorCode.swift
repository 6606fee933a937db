/// The fourteen error codes of the web services protocol.
///
/// The server sends no others, because existing clients reject unknown codes.
package enum CloudErrorCode: String, CaseIterable, Hashable, Sendable {
  case accessDenied = "ACCESS_DENIED"
  case atomicError = "ATOMIC_ERROR"
  case authenticationFailed = "AUTHENTICATION_FAILED"
  case authenticationRequired = "AUTHENTICATION_REQUIRED"
  case badRequest = "BAD_REQUEST"
  case conflict = "CONFLICT"
  case exists = "EXISTS"
  case internalError = "INTERNAL_ERROR"
  case notFound = "NOT_FOUND"
  case quotaExceeded = "QUOTA_EXCEEDED"
  case throttled = "THROTTLED"
  case tryAgainLater = "TRY_AGAIN_LATER"
  case validatingReferenceError = "VALIDATING_REFERENCE_ERROR"
  case zoneNotFound = "ZONE_NOT_FOUND"

  /// The HTTP status of a response that consists of this error alone.
  package var httpStatus: Int {
    switch self {
    case .accessDenied: 403
    case .atomicError, .badRequest: 400
    case .authenticationFailed: 401
    case .authenticationRequired: 421
    case .conflict, .exists: 409
    case .internalError: 500
    case .notFound, .zoneNotFound: 404
    case .quotaExceeded: 413
    case .throttled: 429
    case .tryAgainLater: 503
    case .validatingReferenceError: 412
    }
  }
}

/// An error of a whole request, or of one item in it.
package struct CloudError: Error, Hashable, Sendable {
  /// Parhelion's refinement of a code.
  ///
  /// A client may ignore it.
  package enum Extension: String, CaseIterable, Hashable, Sendable {
    /// The token is older than the feed's history, or from before a restore of the server. The
    /// client reads the zone from the start.
    case changeTokenExpired = "CHANGE_TOKEN_EXPIRED"
    /// The token belongs to a deleted zone of the same name. The client reads the zone from the
    /// start.
    case zoneRecreated = "ZONE_RECREATED"
    /// The zone's owner deleted the zone.
    case userDeletedZone = "USER_DELETED_ZONE"
    /// The keys of the zone's encrypted values are gone. The client recreates the zone and uploads
    /// everything again.
    case encryptedDataReset = "ENCRYPTED_DATA_RESET"
    /// The request contains values sealed under keys that the user has replaced.
    case keysReplaced = "KEYS_REPLACED"
    /// The request contains values sealed under a key that is no longer used. The client fetches
    /// the key bag of the zone or share, and seals the values again.
    case keyRetired = "KEY_RETIRED"
    /// The request is too large. The client splits it.
    case limitExceeded = "LIMIT_EXCEEDED"
    /// The record already belongs to another share.
    case alreadyShared = "ALREADY_SHARED"
    /// The share has more participants than allowed.
    case tooManyParticipants = "TOO_MANY_PARTICIPANTS"
    /// The accepting user could not be matched with an invited participant.
    case participantMayNeedVerification = "PARTICIPANT_MAY_NEED_VERIFICATION"
    /// The requester is already invited and needs only to accept.
    case participantAlreadyInvited = "PARTICIPANT_ALREADY_INVITED"
    /// The deployed schema lacks the field or the record type.
    case schemaNotDeployed = "SCHEMA_NOT_DEPLOYED"
    /// The server has no such API token for this container. Signing in again does not help.
    case apiTokenRefused = "API_TOKEN_REFUSED"
  }

  package var code: CloudErrorCode
  /// Another server's code, if it is not one of the fourteen.
  ///
  /// `code` is `internalError` then.
  package var unknownCode: String?
  /// A sentence for the developer: what was wrong, where, and what to do.
  package var reason: String
  package var `extension`: Extension?
  /// Seconds to wait before a retry; nil if a retry does not help.
  package var retryAfterSeconds: Int?
  /// The page where the user can sign in.
  package var redirectURL: String?
  /// Whether the server may have performed the request nevertheless.
  ///
  /// True if a proxy seems to have answered in the server's place, with a status such as that of a
  /// timeout.
  package var mayHaveArrived = false
  /// The changes that a restored server lost; only with `changeTokenExpired`.
  ///
  /// Parhelion's addition.
  package var lostHistory: LostHistory?

  package init(
    _ code: CloudErrorCode, _ reason: String, extension: Extension? = nil,
    retryAfterSeconds: Int? = nil,
    redirectURL: String? = nil
  ) {
    self.code = code
    self.reason = reason
    self.extension = `extension`
    self.retryAfterSeconds = retryAfterSeconds
    self.redirectURL = redirectURL
  }
}
