import CloudRecords
import CloudWire
import RecordStorage

/// Makes requests idempotent by carrying out each one once (`Design/0018`).
///
///     first arrival ──▶ carried out, and its outcome is stored ──▶ replay: the same outcome
///     after the client declared it finished ──▶ rejected
///     after so many later requests that its outcome is forgotten ──▶ rejected
///     after so many that its state is unknown ──▶ rejected, to be sent with a new number
///     with the number of another request ──▶ rejected
struct RequestMemory: Sendable {
  private let stamp: RequestStamp
  private let fingerprint: [UInt8]?
  private let database: DatabaseKeys
  private let user: String

  /// Creates the memory for a request; nil if it has no number or no user.
  ///
  /// - Parameter isOfUser: Whether the request is about the user's memberships, regardless of its
  ///   database.
  init?(_ call: Call, isOfUser: Bool = false) {
    guard let stamp = call.stamp, let user = call.caller.userRecordName else { return nil }
    self.stamp = stamp
    fingerprint = call.fingerprint
    self.user = user
    let isPublic = call.scope == .public && !isOfUser
    database = DatabaseKeys(realm: call.realm, owner: isPublic ? DatabaseKeys.publicOwner : user)
  }

  /// The owner whose partition contains the memory.
  var partition: String { database.owner }

  /// Carries out a request in its transaction, unless it was carried out before.
  ///
  /// - Parameters:
  ///   - itemCount: The number of the request's items.
  ///   - act: Carries out the request.
  ///   - outcomes: Extracts the outcomes to remember.
  ///   - again: Recreates the result from remembered outcomes.
  func once<Outcome>(
    in transaction: any StorageWriting, at now: Timestamp, itemCount: Int,
    act: () throws -> Outcome,
    outcomes: (Outcome) -> [ReportedOutcome], again: ([ReportedOutcome]) throws -> Outcome
  ) throws -> Outcome {
    let known = try transaction.value(of: key).map { try StoredRequests(bytes: $0) }
    switch known?.state(of: stamp, fingerprint) {
    case .over: throw Self.over(stamp)
    case .other: throw Self.other(stamp)
    case .forgotten: throw Self.forgotten(stamp)
    case .unknown: throw Self.unknown(stamp)
    case .done(let known):
      guard known.items.count == itemCount else { throw Self.other(stamp) }
      return try again(known.items)
    case .new, nil:
      let outcome = try act()
      if known == nil { try clients.makeRoom(of: user, in: transaction) }
      var requests = known ?? StoredRequests(used: now)
      if known.map({ clients.isDue($0.used, at: now) }) ?? true {
        requests.used = now
        try clients.note(stamp.client, of: user, at: now, in: transaction)
      }
      requests.note(ReportedOutcomes(items: outcomes(outcome)).bounded, of: stamp, fingerprint)
      try transaction.set(requests.bytes, for: key)
      return outcome
    }
  }

  // MARK: Storage

  private var clients: RequestClients { RequestClients(database: database) }

  private var key: StorageKey { clients.requests(of: stamp.client, of: user) }

  // MARK: Errors

  private static func over(_ stamp: RequestStamp) -> CloudError {
    CloudError(
      .badRequest,
      "The request \(stamp.number) arrived too late: its client has declared it finished. Nothing was done."
    )
  }

  private static func forgotten(_ stamp: RequestStamp) -> CloudError {
    CloudError(
      .badRequest,
      "The request \(stamp.number) was answered before, and the response is forgotten, since its client has sent \(ServerLimits.requestsOfClient) others meanwhile. Nothing was done again: fetch the current state."
    )
  }

  /// The error if it is unknown whether a request was carried out.
  ///
  /// After a "try again later" error, a client sends the request with a new number.
  private static func unknown(_ stamp: RequestStamp) -> CloudError {
    CloudError(
      .tryAgainLater,
      "It is unknown whether the request \(stamp.number) was carried out, since its client has sent so many others meanwhile. Nothing was done now: fetch the current state, and send a new request."
    )
  }

  private static func other(_ stamp: RequestStamp) -> CloudError {
    CloudError(
      .badRequest,
      "The client has used the number \(stamp.number) for another request. Give each different request its own number."
    )
  }
}
