import CloudRecords
import CloudWire
import RecordStorage

/// Does each request of a client once (`Design/0018`).
///
///     comes first ──▶ is done, and what is told of it is stored with it ──▶ comes again: the same is told
///     comes behind one that says that its client waits for it no more ──▶ is refused
///     comes behind so many that were done later that nobody knows any more what was told ──▶ is refused
///     has the number of another one ──▶ is refused
struct RequestMemory: Sendable {
  private let stamp: RequestStamp
  private let fingerprint: [UInt8]?
  private let database: DatabaseKeys
  private let user: String

  /// Nil where the request has no number, or nobody asks by name.
  ///
  /// - Parameter isOfUser: Whether it is about what the user takes part in, whatever database it is sent to.
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
    in transaction: any StorageWriting, at now: Timestamp, itemCount: Int, act: () throws -> Outcome,
    fates: (Outcome) -> [ToldFate], again: ([ToldFate]) throws -> Outcome
  ) throws -> Outcome {
    let known = try transaction.value(of: key).map { try StoredRequests(bytes: $0) }
    switch known?.place(of: stamp, fingerprint) {
    case .over: throw Self.over(stamp)
    case .other: throw Self.other(stamp)
    case .forgotten: throw Self.forgotten(stamp)
    case .done(let told):
      guard told.items.count == itemCount else { throw Self.other(stamp) }
      return try again(told.items)
    case .new, nil:
      let outcome = try act()
      if known == nil { try makeRoom(at: now, in: transaction) }
      var requests = known ?? StoredRequests(used: now)
      requests.note(ToldFates(items: fates(outcome)).bounded, of: stamp, fingerprint, at: now)
      try transaction.set(requests.bytes, for: key)
      return outcome
    }
  }

  // MARK: Keeping

  private var clients: StorageKey {
    var key = database.key(.request)
    key.append(text: user)
    return key
  }

  private var key: StorageKey {
    var key = clients
    key.append(text: stamp.client)
    return key
  }

  /// Forgets the client that has not come for the longest time where the user has many, and sees that all are forgotten one day.
  private func makeRoom(at now: Timestamp, in transaction: any StorageWriting) throws {
    if try transaction.entries(in: RequestSweep.range(of: database), limit: 1).isEmpty {
      try RequestSweep.chore(for: database, due: now).add(in: transaction)
    }
    let known = try transaction.entries(in: StorageRange(prefix: clients))
    guard known.count >= ServerLimits.clientsOfUser else { return }
    let times = try known.map { (key: $0.key, used: try StoredRequests(bytes: $0.value).used) }
    if let first = times.min(by: { $0.used < $1.used }) { try transaction.remove(first.key) }
  }

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

  private static func other(_ stamp: RequestStamp) -> CloudError {
    CloudError(
      .badRequest,
      "The client has used the number \(stamp.number) for another request. Give each request that is not the same a number of its own."
    )
  }
}

/// Forgets clients that have not come for a while.
enum RequestSweep {
  static func range(of database: DatabaseKeys) -> StorageRange { StorageRange(prefix: database.key(.request)) }

  /// The chore for a database one of whose clients came last at a time.
  static func chore(for database: DatabaseKeys, due used: Timestamp) -> Chore {
    Chore(
      .forgetRequests, of: database.owner, in: database.realm,
      due: used.adding(seconds: ServerLimits.requestSeconds))
  }

  /// Forgets some of those that are old enough.
  ///
  /// - Parameter last: Where the step before ended.
  /// - Returns: Where this one ends, nil at the end of all; and when the first came that is kept.
  static func step(
    _ database: DatabaseKeys, behind last: StorageKey?, at now: Timestamp, in transaction: any StorageWriting
  ) throws -> (last: StorageKey?, oldest: Timestamp?) {
    let prefix = database.key(.request)
    let range = last.map { StorageRange(prefix: prefix, after: $0) } ?? StorageRange(prefix: prefix)
    let found = try transaction.entries(in: range, limit: ServerLimits.entriesPerStep)
    var oldest: Timestamp?
    for entry in found {
      let used = try StoredRequests(bytes: entry.value).used
      if used.adding(seconds: ServerLimits.requestSeconds) <= now {
        try transaction.remove(entry.key)
      } else {
        oldest = min(oldest ?? used, used)
      }
    }
    return (found.count < ServerLimits.entriesPerStep ? nil : found.last?.key, oldest)
  }
}
