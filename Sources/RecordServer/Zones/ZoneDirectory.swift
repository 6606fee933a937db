import BinaryCoding
import CloudRecords
import RecordStorage

/// The zones of one owner's database.
struct ZoneDirectory {
  let database: DatabaseKeys

  /// The zone with a name; nil if there is none.
  func zone(named name: String, in transaction: any StorageReading) throws -> StoredZone? {
    let found = try number(named: name, in: transaction).flatMap { try zone($0, in: transaction) }
    return found?.deleted == nil ? found : nil
  }

  /// Whether a zone of this name was reset and not created again.
  func wasReset(_ name: String, in transaction: any StorageReading) throws -> Bool {
    try number(named: name, in: transaction).flatMap { try zone($0, in: transaction) }?.isReset
      ?? false
  }

  func number(named name: String, in transaction: any StorageReading) throws -> UInt64? {
    try transaction.value(of: database.zoneNumber(named: name)).map { bytes in
      var form = BinaryReader(bytes)
      return try form.number()
    }
  }

  /// The zone with a number, deleted or not; nil if its tombstone was removed.
  func zone(_ number: UInt64, in transaction: any StorageReading) throws -> StoredZone? {
    try transaction.value(of: database.zone(number)).map { try StoredZone(bytes: $0) }
  }

  /// All zones, including deleted ones, in the order of their creation.
  func zones(in transaction: any StorageReading) throws -> [StoredZone] {
    try transaction.entries(in: database.zones).map { try StoredZone(bytes: $0.value) }
  }

  /// Creates a zone that does not exist.
  ///
  /// The zone begins after all positions that clients may know: the base of its history, and the
  /// ends of deleted zones, since one of these may have had the same name.
  func create(_ name: String, at time: Timestamp, in transaction: any StorageWriting) throws
    -> StoredZone
  {
    let history = try StoreHistory(of: transaction)
    var known = try known(in: transaction)
    var zone = StoredZone(
      number: max(known.zones.lastNumber, history.base) + 1, name: name, created: time)
    zone.history = history
    zone.lastPosition = max(known.deletedThrough, history.base)
    known.zones.lastNumber = zone.number
    known.zones.listed.add(identifier(of: zone))
    try save(known, in: transaction)
    var form = BinaryWriter(capacity: 10)
    form.number(zone.number)
    try transaction.set(form.bytes, for: database.zoneNumber(named: name))
    try save(zone, in: transaction)
    return zone
  }

  /// Continues all zones in a new history.
  func begin(_ history: StoreHistory, in transaction: any StorageWriting) throws {
    for var zone in try zones(in: transaction) where zone.deleted == nil {
      zone.lost.append(lostSince: zone, nextHistory: history)
      zone.history = history
      zone.lastPosition = max(zone.lastPosition, history.base)
      try save(zone, in: transaction)
    }
  }

  func save(_ zone: StoredZone, in transaction: any StorageWriting) throws {
    try transaction.set(zone.bytes, for: database.zone(zone.number))
  }

  /// Deletes a zone, and leaves a tombstone.
  ///
  /// Its contents become unreachable, since no other zone gets its number; a maintenance task
  /// erases them in steps.
  ///
  /// - Parameter isReset: Whether the keys of its sealed values were lost. Requests for the zone
  ///   get this reason until it is created again.
  func delete(
    _ zone: StoredZone, at time: Timestamp, isReset: Bool = false,
    in transaction: any StorageWriting
  ) throws {
    let keys = ZoneKeys(database: database, number: zone.number)
    if !isReset { try transaction.remove(database.zoneNumber(named: zone.name)) }
    var known = try known(in: transaction)
    known.deletedThrough = max(known.deletedThrough, zone.lastPosition)
    known.zones.listed.remove(identifier(of: zone))
    try save(known, in: transaction)
    try mark(zone, at: time, isReset: isReset, in: transaction)
    if zone.isShared {
      try SharedChanges(database: database).recordChange(of: zone, in: transaction)
    }
    try MaintenanceTask(.eraseZone, of: keys, due: time).add(in: transaction)
  }

  private func identifier(of zone: StoredZone) -> RecordZoneIdentifier {
    RecordZoneIdentifier(zoneName: zone.name, ownerName: database.owner)
  }
}

// MARK: - The database as a whole

extension ZoneDirectory {
  /// Data about the database; empty if it never had a zone.
  func known(in transaction: any StorageReading) throws -> StoredDatabase {
    let key = database.realm.database(of: database.owner)
    return try transaction.value(of: key).map { try StoredDatabase(bytes: $0) } ?? StoredDatabase()
  }

  func save(_ known: StoredDatabase, in transaction: any StorageWriting) throws {
    try transaction.set(known.bytes, for: database.realm.database(of: database.owner))
  }
}
