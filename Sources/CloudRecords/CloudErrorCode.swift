/// The fourteen codes of errors on the wire.
///
/// Our server writes no others: real clients refuse what they do not know.
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

  /// The status of a response that is nothing but this error.
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

/// What went wrong, for a whole request or for one item of it.
package struct CloudError: Error, Hashable, Sendable {
  /// What the fourteen codes cannot say, beside them; clients that do not know it miss nothing they
  /// need.
  package enum Extension: String, CaseIterable, Hashable, Sendable {
    /// The position is older than the feed reaches: read from the beginning.
    case changeTokenExpired = "CHANGE_TOKEN_EXPIRED"
    /// The position is one in another zone of the same name, which was deleted: read from the
    /// beginning.
    case zoneMadeAnew = "ZONE_MADE_ANEW"
    /// The zone was there, and its owner deleted it.
    case userDeletedZone = "USER_DELETED_ZONE"
    /// The keys of the zone's encrypted values are gone: make the zone anew and send everything
    /// again.
    case encryptedDataReset = "ENCRYPTED_DATA_RESET"
    /// The user's keys are others than those under which values of the request are sealed:
    /// Parhelion's addition.
    case keysReplaced = "KEYS_REPLACED"
    /// Too much for one request: send less at once.
    case limitExceeded = "LIMIT_EXCEEDED"
    /// The record already belongs to another share.
    case alreadyShared = "ALREADY_SHARED"
    /// More participants than a share may have.
    case tooManyParticipants = "TOO_MANY_PARTICIPANTS"
    /// Who accepts is not known to be who was asked.
    case participantMayNeedVerification = "PARTICIPANT_MAY_NEED_VERIFICATION"
    /// Who asks to be let into a share was invited, and need only accept: Parhelion's addition.
    case participantAlreadyInvited = "PARTICIPANT_ALREADY_INVITED"
    /// A field or type that the deployed schema does not have.
    case schemaNotDeployed = "SCHEMA_NOT_DEPLOYED"
    /// The server has no such API token for this container: signing in again does not help.
    /// Parhelion's addition.
    case apiTokenRefused = "API_TOKEN_REFUSED"
  }

  package var code: CloudErrorCode
  /// What another server wrote for its code, where that is none of the fourteen; `code` then says
  /// `internalError`.
  package var unknownCode: String?
  /// A sentence for the developer: what was wrong, where, and what to do.
  package var reason: String
  package var `extension`: Extension?
  /// Seconds to wait before the same can be tried again; nil where trying again does not help.
  package var retryAfterSeconds: Int?
  /// Where the user can sign in.
  package var redirectURL: String?
  /// Whether the server may have carried out what it was asked all the same: somebody before it has
  /// answered, who waited too long for it.
  package var mayHaveArrived = false
  /// With `changeTokenExpired` from a restored server: which changes it lost.
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
