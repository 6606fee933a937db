import BinaryCoding
import CloudRecords
import RecordStorage

/// A unit of periodic server work that is due at some time.
///
/// Tasks are stored in the order of their due times, so that a search for due tasks reads only
/// those and the next one. Each is idempotent, and can restart after a crash.
struct MaintenanceTask: Hashable, Sendable {
  enum Kind: UInt64, Hashable, Sendable {
    /// Erases the contents of a deleted zone.
    case eraseZone = 1
    /// Purges a zone's old tombstones.
    case purgeTombstones = 2
    /// Completes the replacement of a realm's schema.
    case replaceSchema = 3
    /// Builds a zone's new indexes, and erases those that were dropped.
    case workOnIndexes = 4
    /// Removes a user's devices that were inactive for too long.
    case forgetDevices = 5
    /// Removes the clients that were inactive for too long, with their remembered requests.
    case forgetClients = 6
    /// Removes the tombstones of a database's zones that were deleted long ago.
    case forgetZones = 7
  }

  let kind: Kind
  let due: Timestamp
  let realm: Realm
  /// Empty if the task does not concern a database.
  let owner: String
  /// Zero if the task does not concern a zone.
  let zone: UInt64

  init(_ kind: Kind, of zone: ZoneKeys, due: Timestamp) {
    self.kind = kind
    self.due = due
    realm = zone.database.realm
    owner = zone.database.owner
    self.zone = zone.number
  }

  init(_ kind: Kind, of database: DatabaseKeys, due: Timestamp) {
    self.init(kind, of: database.owner, in: database.realm, due: due)
  }

  init(_ kind: Kind, in realm: Realm, due: Timestamp) {
    self.kind = kind
    self.due = due
    self.realm = realm
    owner = ""
    zone = 0
  }

  init(_ kind: Kind, of user: String, in realm: Realm, due: Timestamp) {
    self.kind = kind
    self.due = due
    self.realm = realm
    owner = user
    zone = 0
  }

  var database: DatabaseKeys { DatabaseKeys(realm: realm, owner: owner) }
  var zoneKeys: ZoneKeys { ZoneKeys(database: database, number: zone) }
}

// MARK: - Queue

extension MaintenanceTask {
  private static let partition = "_chores"

  private static var prefix: StorageKey {
    StorageKey(partition: partition, keyspace: Keyspace.maintenanceTask.rawValue)
  }

  private var key: StorageKey {
    var key = Self.prefix
    key.append(signed: due.milliseconds)
    key.append(unsigned: kind.rawValue)
    key.append(unsigned: realm.number)
    key.append(text: owner)
    key.append(unsigned: zone)
    return key
  }

  private init(key: Span<UInt8>) throws {
    var reader = StorageKeyReader(after: Self.prefix)
    due = Timestamp(milliseconds: try reader.signed(in: key))
    guard let kind = Kind(rawValue: try reader.unsigned(in: key)) else {
      throw BinaryCodingError(reason: "an unknown kind of task", offset: reader.offset)
    }
    self.kind = kind
    realm = Realm(number: try reader.unsigned(in: key))
    owner = try reader.text(in: key)
    zone = try reader.unsigned(in: key)
  }

  func add(in transaction: any StorageWriting) throws { try transaction.set([], for: key) }

  func remove(in transaction: any StorageWriting) throws { try transaction.remove(key) }

  /// The next due task after a given one; nil if there is none.
  static func next(
    after task: MaintenanceTask?, dueAt now: Timestamp, in transaction: any StorageReading
  ) throws
    -> MaintenanceTask?
  {
    let range =
      task.map { StorageRange(prefix: prefix, after: $0.key) } ?? StorageRange(prefix: prefix)
    guard let entry = try transaction.entries(in: range, limit: 1).first else { return nil }
    let next = try MaintenanceTask(key: entry.key.bytes.span)
    return next.due <= now ? next : nil
  }
}
