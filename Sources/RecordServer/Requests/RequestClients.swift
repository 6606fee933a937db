import BinaryCoding
import CloudRecords
import RecordStorage

/// The clients of a database of whose requests something is remembered, and when each came last.
///
/// What is remembered of a client is long. Beside it lies a short entry for each, which is all that
/// is read to find those that are to be forgotten; it is written once a minute at most.
struct RequestClients {
  let database: DatabaseKeys

  /// What is remembered of a client's requests.
  func requests(of client: String, of user: String) -> StorageKey { key(.request, client, user) }

  /// Whether it is to be noted that a client has come.
  func isDue(_ used: Timestamp, at now: Timestamp) -> Bool {
    used.adding(seconds: ServerLimits.clientNoteSeconds) <= now
  }

  /// Notes that a client has come, and sees that all are forgotten one day.
  func note(
    _ client: String, of user: String, at now: Timestamp, in transaction: any StorageWriting
  ) throws {
    if try transaction.entries(in: all, limit: 1).isEmpty {
      try chore(due: now).add(in: transaction)
    }
    var form = BinaryWriter(capacity: 12)
    form.byte(Self.version)
    form.signed(now.milliseconds)
    try transaction.set(form.bytes, for: key(.requestClient, client, user))
  }

  /// Forgets those of a user's clients that have not come for the longest time, where there is no
  /// room for one more.
  func makeRoom(of user: String, in transaction: any StorageWriting) throws {
    let known = try transaction.entries(in: StorageRange(prefix: prefix(.requestClient, user)))
    let surplus = known.count - ServerLimits.clientsOfUser + 1
    guard surplus > 0 else { return }
    let times = try known.map { (key: $0.key, used: try Self.used($0.value)) }
    for client in times.sorted(by: { $0.used < $1.used }).prefix(surplus) {
      try forget(client.key, in: transaction)
    }
  }

  // MARK: Entries

  private static let version: UInt8 = 1

  private static func used(_ bytes: [UInt8]) throws(BinaryCodingError) -> Timestamp {
    var form = BinaryReader(bytes)
    guard try form.byte() == version else {
      throw form.damage("an unknown form of when a client came")
    }
    let used = Timestamp(milliseconds: try form.signed())
    try form.requireEnd()
    return used
  }

  private var all: StorageRange { StorageRange(prefix: database.key(.requestClient)) }

  private func prefix(_ keyspace: Keyspace, _ user: String) -> StorageKey {
    var key = database.key(keyspace)
    key.append(text: user)
    return key
  }

  private func key(_ keyspace: Keyspace, _ client: String, _ user: String) -> StorageKey {
    var key = prefix(keyspace, user)
    key.append(text: client)
    return key
  }

  /// Forgets a client, with what was told to it.
  private func forget(_ key: StorageKey, in transaction: any StorageWriting) throws {
    let names = try ZoneKeys.texts(2, of: key.bytes.span, after: all)
    try transaction.remove(requests(of: names[1], of: names[0]))
    try transaction.remove(key)
  }
}

// MARK: - Chores

extension RequestClients {
  /// Where a step of a chore ended, nil at the end of all; and when the first client came that is
  /// kept.
  typealias Step = (last: StorageKey?, oldest: Timestamp?)

  private func chore(due used: Timestamp) -> MaintenanceTask {
    MaintenanceTask(
      .forgetClients, of: database.owner, in: database.realm,
      due: used.adding(seconds: ServerLimits.requestSeconds))
  }

  private static func isOver(_ used: Timestamp, at now: Timestamp) -> Bool {
    used.adding(seconds: ServerLimits.requestSeconds) <= now
  }

  /// Forgets some of those that have not come for a while.
  ///
  /// - Parameter last: Where the step before ended.
  func sweep(behind last: StorageKey?, at now: Timestamp, in transaction: any StorageWriting) throws
    -> Step
  {
    let range = last.map { StorageRange(prefix: database.key(.requestClient), after: $0) } ?? all
    let found = try transaction.entries(in: range, limit: ServerLimits.entriesPerStep)
    var oldest: Timestamp?
    for entry in found {
      let used = try Self.used(entry.value)
      if Self.isOver(used, at: now) {
        try forget(entry.key, in: transaction)
      } else {
        oldest = min(oldest ?? used, used)
      }
    }
    return (found.count < ServerLimits.entriesPerStep ? nil : found.last?.key, oldest)
  }

  /// Sees that a sweep comes again, where there is somebody to be forgotten.
  ///
  /// - Parameter oldest: When the first came that a sweep kept; nil where it kept none, and others
  ///   have come since.
  func sweepAgain(_ oldest: Timestamp?, at now: Timestamp, in transaction: any StorageWriting)
    throws
  {
    guard try !transaction.entries(in: all, limit: 1).isEmpty else { return }
    try chore(due: oldest ?? now).add(in: transaction)
  }
}
