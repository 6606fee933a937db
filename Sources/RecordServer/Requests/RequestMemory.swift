import CloudRecords
import CloudWire
import RecordStorage

/// Does each request of a client once (`Design/0018`).
///
///     comes first ──▶ is done, and what is told of it is stored with it ──▶ comes again: the same is told
///     comes behind one that says that its client waits for it no more ──▶ is refused
///     comes behind so many that were done later that nobody knows any more what was told ──▶ is refused
///     comes behind so many that nobody knows whether it was done ──▶ is refused, to be asked for anew
///     has the number of another one ──▶ is refused
struct RequestMemory: Sendable {
  private let stamp: RequestStamp
  private let fingerprint: [UInt8]?
  private let database: DatabaseKeys
  private let user: String

  /// Nil where the request has no number, or nobody asks by name.
  ///
  /// - Parameter isOfUser: Whether it is about what the user takes part in, whatever database it is
  ///   sent to.
  init?(_ call: Call, isOfUser: Bool = false) {
    guard let stamp = call.stamp, let user = call.caller.userRecordName else { return nil }
    self.stamp = stamp
    fingerprint = call.fingerprint
    self.user = user
    let isPublic = call.scope == .public && !isOfUser
    database = DatabaseKeys(realm: call.realm, owner: isPublic ? DatabaseKeys.publicOwner : user)
  }

  /// The owner whose partition it lies in.
  var partition: String { database.owner }

  /// Does a request in its transaction, unless it was done before.
  ///
  /// - Parameters:
  ///   - itemCount: How many items the request has.
  ///   - act: Does it.
  ///   - fates: What is told of what was done.
  ///   - again: Tells it once more.
  func once<Outcome>(
    in transaction: any StorageWriting, at now: Timestamp, itemCount: Int,
    act: () throws -> Outcome,
    fates: (Outcome) -> [ReportedOutcome], again: ([ReportedOutcome]) throws -> Outcome
  ) throws -> Outcome {
    let known = try transaction.value(of: key).map { try StoredRequests(bytes: $0) }
    switch known?.place(of: stamp, fingerprint) {
    case .over: throw Self.over(stamp)
    case .other: throw Self.other(stamp)
    case .forgotten: throw Self.forgotten(stamp)
    case .unknown: throw Self.unknown(stamp)
    case .done(let told):
      guard told.items.count == itemCount else { throw Self.other(stamp) }
      return try again(told.items)
    case .new, nil:
      let outcome = try act()
      if known == nil { try clients.makeRoom(of: user, in: transaction) }
      var requests = known ?? StoredRequests(used: now)
      if known.map({ clients.isDue($0.used, at: now) }) ?? true {
        requests.used = now
        try clients.note(stamp.client, of: user, at: now, in: transaction)
      }
      requests.note(ReportedOutcomes(items: fates(outcome)).bounded, of: stamp, fingerprint)
      try transaction.set(requests.bytes, for: key)
      return outcome
    }
  }

  // MARK: Keeping

  private var clients: RequestClients { RequestClients(database: database) }

  private var key: StorageKey { clients.requests(of: stamp.client, of: user) }

  // MARK: Refusals

  private static func over(_ stamp: RequestStamp) -> CloudError {
    CloudError(
      .badRequest,
      "The request \(stamp.number) came too late: its client has sent another one since, which says that it waits for this one no more. Nothing was done."
    )
  }

  private static func forgotten(_ stamp: RequestStamp) -> CloudError {
    CloudError(
      .badRequest,
      "The request \(stamp.number) was answered before, and the answer is forgotten, since its client has sent \(ServerLimits.requestsOfClient) others meanwhile. Nothing was done again: look at what is there."
    )
  }

  /// Clients begin anew with a number of its own what they are told to try later.
  private static func unknown(_ stamp: RequestStamp) -> CloudError {
    CloudError(
      .tryAgainLater,
      "Nobody knows any more whether the request \(stamp.number) was done, since its client has sent so many others meanwhile. It was not done now: look at what is there, and ask anew."
    )
  }

  private static func other(_ stamp: RequestStamp) -> CloudError {
    CloudError(
      .badRequest,
      "The client has used the number \(stamp.number) for another request. Give each request that is not the same a number of its own."
    )
  }
}
