import BinaryCoding
import CloudRecords
import RecordStorage

/// Tombstones of deleted zones, so that clients that knew a zone learn that it was deleted.
///
/// They do not count towards a quota, so a database keeps only the latest, for as long as other
/// tombstones. Those of reset zones are counted separately: a device that misses a reset would drop
/// data that it must send again.
extension ZoneDirectory {
  /// Replaces a zone by a tombstone.
  ///
  /// The tombstone is added to the order of deletions after the zone was erased. Until then it must
  /// not expire, because the task that erases the zone reads it to notify participants.
  func mark(
    _ zone: StoredZone, at time: Timestamp, isReset: Bool, in transaction: any StorageWriting
  ) throws {
    var mark = StoredZone(number: zone.number, name: zone.name, created: zone.created)
    mark.deleted = time
    mark.isReset = isReset
    try save(mark, in: transaction)
  }

  /// Adds a tombstone to the order of deletions, if it is missing, and removes the oldest ones
  /// above the limit.
  func order(_ mark: StoredZone, in transaction: any StorageWriting) throws {
    guard let deleted = mark.deleted else { return }
    let order = MarkOrder(of: mark)
    let place = database.place(of: mark.number, deleted: deleted, in: order)
    guard try transaction.value(of: place) == nil else { return }
    try transaction.set([], for: place)
    var known = try known(in: transaction)
    known.zones[keyPath: order.count] += 1
    if known.zones.markDue == nil {
      // The maintenance task computes its next due time.
      known.zones.markDue = deleted
      try MaintenanceTask(.forgetZones, of: database, due: deleted).add(in: transaction)
    }
    try save(known, in: transaction)
    let excess = max(0, known.zones[keyPath: order.count] - ServerLimits.zoneMarks)
    for (_, number) in try oldestMarks(in: order, atMost: excess, in: transaction) {
      try forget(number, in: transaction)
    }
  }

  /// Removes some tombstones of zones that were deleted before some time.
  ///
  /// - Parameter seconds: How long tombstones are kept.
  /// - Returns: Whether all expired ones are removed. If so, the task is scheduled for the time at
  ///   which the next one expires.
  func forgetMarks(olderThan seconds: Int64, at now: Timestamp, in transaction: any StorageWriting)
    throws -> Bool
  {
    var next: Timestamp?
    for order in MarkOrder.all {
      let oldest = try oldestMarks(in: order, atMost: ServerLimits.entriesPerStep, in: transaction)
      let young = oldest.first { now < $0.deleted.adding(seconds: seconds) }
      for (deleted, number) in oldest where deleted.adding(seconds: seconds) <= now {
        try forget(number, in: transaction)
      }
      guard young != nil || oldest.count < ServerLimits.entriesPerStep else { return false }
      next = [next, young?.deleted.adding(seconds: seconds)].compactMap(\.self).min()
    }
    var known = try known(in: transaction)
    known.zones.markDue = next
    try save(known, in: transaction)
    if let due = known.zones.markDue {
      try MaintenanceTask(.forgetZones, of: database, due: due).add(in: transaction)
    }
    return true
  }

  /// Removes the tombstone of a zone from the database and from the order of deletions.
  private func forget(_ number: UInt64, in transaction: any StorageWriting) throws {
    guard let zone = try zone(number, in: transaction), let deleted = zone.deleted else { return }
    var known = try known(in: transaction)
    // The name of a reset zone leads to its tombstone, or to a zone that was created later.
    if try self.number(named: zone.name, in: transaction) == number {
      try transaction.remove(database.zoneNumber(named: zone.name))
    }
    let order = MarkOrder(of: zone)
    try transaction.remove(database.place(of: number, deleted: deleted, in: order))
    known.zones[keyPath: order.count] -= 1
    try save(known, in: transaction)
    try transaction.remove(database.zone(number))
    try SharedChanges(database: database).forget(zone: number, in: transaction)
  }

  private func oldestMarks(
    in order: MarkOrder, atMost limit: Int, in transaction: any StorageReading
  ) throws -> [(deleted: Timestamp, number: UInt64)] {
    try transaction.entries(in: database.marks(in: order), limit: limit)
      .map { try database.mark(at: $0.key, in: order) }
  }
}

/// One of the orders of tombstones, each with its own limit.
private struct MarkOrder {
  let keyspace: Keyspace
  /// The number of tombstones.
  let count: WritableKeyPath<StoredDatabase.Zones, Int>

  static var all: [MarkOrder] { [deletions, resets] }

  private static var deletions: MarkOrder { MarkOrder(keyspace: .zoneMark, count: \.markCount) }
  private static var resets: MarkOrder { MarkOrder(keyspace: .resetMark, count: \.resetCount) }

  init(of mark: StoredZone) { self = mark.isReset ? Self.resets : Self.deletions }

  private init(keyspace: Keyspace, count: WritableKeyPath<StoredDatabase.Zones, Int>) {
    self.keyspace = keyspace
    self.count = count
  }
}

extension DatabaseKeys {
  /// The tombstones in the order of their zones' deletion.
  fileprivate func marks(in order: MarkOrder) -> StorageRange {
    StorageRange(prefix: key(order.keyspace))
  }

  fileprivate func place(of number: UInt64, deleted: Timestamp, in order: MarkOrder) -> StorageKey {
    var key = key(order.keyspace)
    key.append(signed: deleted.milliseconds)
    key.append(unsigned: number)
    return key
  }

  fileprivate func mark(at key: StorageKey, in order: MarkOrder) throws -> (
    deleted: Timestamp, number: UInt64
  ) {
    var reader = StorageKeyReader(after: self.key(order.keyspace))
    let deleted = Timestamp(milliseconds: try reader.signed(in: key.bytes.span))
    return (deleted, try reader.unsigned(in: key.bytes.span))
  }
}
