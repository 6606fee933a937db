extension CloudErrorCode {
  /// The meaning of the code and the client's remedy, as Markdown.
  ///
  /// The server's API description and the reference document show this text.
  package var meaning: String {
    switch self {
    case .accessDenied:
      "The caller is known but not allowed, or the address of a file has expired."
    case .atomicError:
      "Another item of the batch failed."
    case .authenticationFailed:
      """
      The API token, web token, key or signature is invalid: revoked, expired, of another \
      environment or origin, a wrong clock, a rewritten path, or a repeated signature. With a \
      `redirectURL`: sign in again. With `API_TOKEN_REFUSED`: correct the token, container or \
      environment.
      """
    case .authenticationRequired:
      "The request needs a user: open the `redirectURL`."
    case .badRequest:
      """
      The request is malformed, or against the schema. Status 405: wrong method; 413: body too \
      long. With `SCHEMA_NOT_DEPLOYED`: deploy the type or field; `LIMIT_EXCEEDED`: send less; \
      `CHANGE_TOKEN_EXPIRED` or `ZONE_RECREATED`: read from the beginning.
      """
    case .conflict:
      """
      The record changed since it was read: fetch, merge, save again. With `KEYS_REPLACED`: fetch \
      the user's new keys.
      """
    case .exists:
      "A record, account or backup of this name exists."
    case .internalError:
      """
      For a subscription: the caller already has one that fires for the same changes. Otherwise an \
      error of the server: see the log line with the same `request`.
      """
    case .notFound:
      "There is no such record, address or operation, or the caller may not see it."
    case .quotaExceeded:
      "There are too many zones or subscriptions, or no room: delete something, or raise the limit."
    case .throttled:
      "There were too many sign-ins, requests, or bytes in memory: wait for `Retry-After`."
    case .tryAgainLater:
      """
      The server is stopping, its disk is full or unreadable, it has too many connections or long \
      queries, it is replacing the schema or building an index for the query, or the request \
      arrived too slowly (status 408): wait for `Retry-After`. A change was signed before the \
      server's start: sign it again. With `KEY_RETIRED`: fetch the key bag, and seal the value \
      under the newest key. The outcome of a numbered request is unknown: fetch the current state. \
      A file was removed again: upload it again. The server was started without a folder for files.
      """
    case .validatingReferenceError:
      "Other records refer to the record, or it refers to one that does not exist or is a share."
    case .zoneNotFound:
      """
      There is no such zone. With `USER_DELETED_ZONE`: its owner deleted it; \
      `ENCRYPTED_DATA_RESET`: its keys are lost, so create it and send everything again.
      """
    }
  }
}
