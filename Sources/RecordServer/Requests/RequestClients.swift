import BinaryCoding
import CloudRecords
import RecordStorage

/// The clients of a database whose requests are remembered, with their last activity.
///
/// The requests of a client are stored as a long entry. A second, short entry records the client's
/// activity at most once a minute, and is enough to find expired clients.
struct RequestClients {
  let database: DatabaseKeys

  /// The key of a client's remembered requests.
  func requests(of client: String, of user: String) -> StorageKey { key(.request, client, user) }

  /// Whether a client's activity must be recorded again.
  func isDue(_ used: Timestamp, at now: Timestamp) -> Bool {
    used.adding(seconds: ServerLimits.clientActivitySeconds) <= now
  }

  /// Records a client's activity, and schedules a sweep if it is the first client of the database.
  func note(
    _ client: String, of user: String, at now: Timestamp, in transaction: any StorageWriting
  ) throws {
    if try transaction.entries(in: all, limit: 1).isEmpty {
      try task(due: now).add(in: transaction)
    }
    var form = BinaryWriter(capacity: 12)
    form.byte(Self.version)
    form.signed(now.milliseconds)
    try transaction.set(form.bytes, for: key(.requestClient, client, user))
  }

  /// Removes a user's least recently active clients if there is no space for another one.
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
      throw form.error("an unknown form of when a client came")
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

  /// Removes a client and its remembered requests.
  private func forget(_ key: StorageKey, in transaction: any StorageWriting) throws {
    let names = try ZoneKeys.texts(2, of: key.bytes.span, after: all)
    try transaction.remove(requests(of: names[1], of: names[0]))
    try transaction.remove(key)
  }
}

// MARK: - Maintenance

extension RequestClients {
  /// The last key of a step, nil at the end, and the least recent activity of the kept clients.
  typealias Step = (last: StorageKey?, oldest: Timestamp?)

  private func task(due used: Timestamp) -> MaintenanceTask {
    MaintenanceTask(
      .forgetClients, of: database.owner, in: database.realm,
      due: used.adding(seconds: ServerLimits.requestSeconds))
  }

  private static func isOver(_ used: Timestamp, at now: Timestamp) -> Bool {
    used.adding(seconds: ServerLimits.requestSeconds) <= now
  }

  /// Removes some expired clients.
  ///
  /// - Parameter last: The last key of the previous step; nil to begin.
  func sweep(after last: StorageKey?, at now: Timestamp, in transaction: any StorageWriting) throws
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

  /// Schedules the next sweep if there are clients.
  ///
  /// - Parameter oldest: The least recent activity of the clients that this sweep kept; nil if it
  ///   kept none. Other clients may have arrived since.
  func scheduleSweep(_ oldest: Timestamp?, at now: Timestamp, in transaction: any StorageWriting)
    throws
  {
    guard try !transaction.entries(in: all, limit: 1).isEmpty else { return }
    try task(due: oldest ?? now).add(in: transaction)
  }
}
