import BinaryForms
import CloudRecords
import RecordStorage

/// Marks of deleted zones: whoever has seen one is told that it is gone, and not only that nobody knows it.
///
/// They stand beside every quota, so a database keeps those of the latest deletions alone, for as long as other marks.
extension ZoneDirectory {
  /// Leaves a mark in the place of a zone, and forgets the oldest ones where there are too many.
  func mark(_ zone: StoredZone, at time: Timestamp, isReset: Bool, in transaction: any StorageWriting) throws {
    var mark = StoredZone(number: zone.number, name: zone.name, created: zone.created)
    mark.deleted = time
    mark.isReset = isReset
    try save(mark, in: transaction)
    try order(mark, in: transaction)
  }

  /// Puts a mark into the order of deletions, where it is not there: servers before version 9 had none.
  func order(_ mark: StoredZone, in transaction: any StorageWriting) throws {
    guard let deleted = mark.deleted else { return }
    let place = database.zoneMark(mark.number, deleted: deleted)
    guard try transaction.value(of: place) == nil else { return }
    try transaction.set([], for: place)
    var known = try known(in: transaction)
    known.zones.markCount += 1
    if known.zones.markDue == nil {
      // The chore finds out how long it has to wait.
      known.zones.markDue = deleted
      try Chore(.forgetZones, of: database, due: deleted).add(in: transaction)
    }
    try save(known, in: transaction)
    for (_, number) in try oldestMarks(atMost: max(0, known.zones.markCount - ServerLimits.zoneMarks), in: transaction)
    {
      try forget(number, in: transaction)
    }
  }

  /// Forgets zones that were deleted before some time, a part of them at once.
  ///
  /// - Parameter seconds: How long marks are kept.
  /// - Returns: Whether all are forgotten; then the chore comes again when the next is to be.
  func forgetMarks(olderThan seconds: Int64, at now: Timestamp, in transaction: any StorageWriting) throws -> Bool {
    let oldest = try oldestMarks(atMost: ServerLimits.entriesPerStep, in: transaction)
    let young = oldest.first { now < $0.deleted.adding(seconds: seconds) }
    for (deleted, number) in oldest where deleted.adding(seconds: seconds) <= now {
      try forget(number, in: transaction)
    }
    guard young != nil || oldest.count < ServerLimits.entriesPerStep else { return false }
    var known = try known(in: transaction)
    known.zones.markDue = young?.deleted.adding(seconds: seconds)
    try save(known, in: transaction)
    if let due = known.zones.markDue { try Chore(.forgetZones, of: database, due: due).add(in: transaction) }
    return true
  }

  /// Forgets that there was a zone.
  func forget(_ number: UInt64, in transaction: any StorageWriting) throws {
    guard let zone = try zone(number, in: transaction), let deleted = zone.deleted else { return }
    // What is known is counted from what there is, at first.
    var known = try known(in: transaction)
    // The name of a zone that was reset leads to its mark, or to the zone that was made after it.
    if try self.number(named: zone.name, in: transaction) == number {
      try transaction.remove(database.zoneNumber(named: zone.name))
    }
    let place = database.zoneMark(number, deleted: deleted)
    if try transaction.value(of: place) != nil {
      try transaction.remove(place)
      known.zones.markCount -= 1
    }
    try save(known, in: transaction)
    try transaction.remove(database.zone(number))
  }

  private func oldestMarks(
    atMost limit: Int, in transaction: any StorageReading
  ) throws -> [(deleted: Timestamp, number: UInt64)] {
    try transaction.entries(in: database.zoneMarks, limit: limit).map { try database.zoneMark(of: $0.key) }
  }
}

extension DatabaseKeys {
  /// The marks of deleted zones, in the order in which these were deleted.
  fileprivate var zoneMarks: StorageRange { StorageRange(prefix: key(.zoneMark)) }

  fileprivate func zoneMark(_ number: UInt64, deleted: Timestamp) -> StorageKey {
    var key = key(.zoneMark)
    key.append(signed: deleted.milliseconds)
    key.append(unsigned: number)
    return key
  }

  fileprivate func zoneMark(of key: StorageKey) throws -> (deleted: Timestamp, number: UInt64) {
    var reader = StorageKeyReader(after: self.key(.zoneMark))
    let deleted = Timestamp(milliseconds: try reader.signed(in: key.bytes.span))
    return (deleted, try reader.unsigned(in: key.bytes.span))
  }
}
