import BinaryCoding
import CloudRecords
import RecordStorage

/// Something that is to be done behind the requests, from some time on.
///
/// Chores lie in the order in which they are due, so that looking for work costs what there is to
/// do. Each can be done twice, or from the beginning after a crash, with the same result.
struct MaintenanceTask: Hashable, Sendable {
  enum Kind: UInt64, Hashable, Sendable {
    /// Erases what lay in a zone that was deleted.
    case eraseZone = 1
    /// Throws a zone's old tombstones away.
    case purgeTombstones = 2
    /// Brings the replacement of a realm's schema to its end.
    case replaceSchema = 3
    /// Makes a zone's new indexes, and erases those that were dropped.
    case workOnIndexes = 4
    /// Forgets a user's devices that were not heard of for long.
    case forgetDevices = 5
    /// Forgets the clients that have not come for a while, with their requests.
    case forgetClients = 6
    /// Forgets the zones of a database that were deleted long ago.
    case forgetZones = 7
  }

  let kind: Kind
  let due: Timestamp
  let realm: Realm
  /// Empty where the chore is about no database.
  let owner: String
  /// Zero where it is about no zone.
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

// MARK: - The list

extension MaintenanceTask {
  private static let partition = "_chores"

  private static var prefix: StorageKey {
    StorageKey(partition: partition, keyspace: Keyspace.chore.rawValue)
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
      throw BinaryCodingError(what: "an unknown kind of chore", offset: reader.offset)
    }
    self.kind = kind
    realm = Realm(number: try reader.unsigned(in: key))
    owner = try reader.text(in: key)
    zone = try reader.unsigned(in: key)
  }

  func add(in transaction: any StorageWriting) throws { try transaction.set([], for: key) }

  func remove(in transaction: any StorageWriting) throws { try transaction.remove(key) }

  /// The next chore that is due, behind another; nil where none is.
  static func next(
    after chore: MaintenanceTask?, dueAt now: Timestamp, in transaction: any StorageReading
  ) throws
    -> MaintenanceTask?
  {
    let range =
      chore.map { StorageRange(prefix: prefix, after: $0.key) } ?? StorageRange(prefix: prefix)
    guard let entry = try transaction.entries(in: range, limit: 1).first else { return nil }
    let next = try MaintenanceTask(key: entry.key.bytes.span)
    return next.due <= now ? next : nil
  }
}
