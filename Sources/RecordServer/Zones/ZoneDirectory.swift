import BinaryForms
import CloudRecords
import RecordStorage

/// The zones of one owner's database.
struct ZoneDirectory {
  let database: DatabaseKeys

  /// A zone by its name; nil where there is none.
  func zone(named name: String, in transaction: any StorageReading) throws -> StoredZone? {
    let found = try number(named: name, in: transaction).flatMap { try zone($0, in: transaction) }
    return found?.deleted == nil ? found : nil
  }

  /// Whether a zone of the name was reset, and nobody has made it anew.
  func wasReset(_ name: String, in transaction: any StorageReading) throws -> Bool {
    try number(named: name, in: transaction).flatMap { try zone($0, in: transaction) }?.isReset ?? false
  }

  private func number(named name: String, in transaction: any StorageReading) throws -> UInt64? {
    try transaction.value(of: database.zoneNumber(named: name)).map { bytes in
      var form = FormReader(bytes)
      return try form.number()
    }
  }

  /// A zone by its number, deleted or not; nil once it was forgotten.
  func zone(_ number: UInt64, in transaction: any StorageReading) throws -> StoredZone? {
    try transaction.value(of: database.zone(number)).map { try StoredZone(bytes: $0) }
  }

  /// All zones, those that were deleted included, in the order in which they were made.
  func zones(in transaction: any StorageReading) throws -> [StoredZone] {
    try transaction.entries(in: database.zones).map { try StoredZone(bytes: $0.value) }
  }

  /// Makes a zone, which must not be there.
  ///
  /// It begins behind all that clients may know: what its history began with, and the end of what was deleted, since that may have had its name.
  func create(_ name: String, at time: Timestamp, in transaction: any StorageWriting) throws -> StoredZone {
    let last = try transaction.entries(in: database.zones, order: .descending, limit: 1).first
    let number = try last.map { try StoredZone(bytes: $0.value).number } ?? 0
    if last == nil { try transaction.set([], for: database.realm.database(of: database.owner)) }
    let history = try StoreHistory(of: transaction)
    var zone = StoredZone(number: max(number, history.base) + 1, name: name, created: time)
    zone.history = history
    zone.lastPosition = max(try deletedThrough(in: transaction), history.base)
    var form = FormWriter(capacity: 10)
    form.number(zone.number)
    try transaction.set(form.bytes, for: database.zoneNumber(named: name))
    try save(zone, in: transaction)
    return zone
  }

  /// Lets all zones go on in a history.
  func begin(_ history: StoreHistory, in transaction: any StorageWriting) throws {
    for var zone in try zones(in: transaction) where zone.deleted == nil {
      zone.history = history
      zone.lastPosition = max(zone.lastPosition, history.base)
      try save(zone, in: transaction)
    }
  }

  func save(_ zone: StoredZone, in transaction: any StorageWriting) throws {
    try transaction.set(zone.bytes, for: database.zone(zone.number))
  }

  /// Whether the next zone's number is counted from this one's.
  func isLast(_ number: UInt64, in transaction: any StorageReading) throws -> Bool {
    let last = try transaction.entries(in: database.zones, order: .descending, limit: 1).first
    return last?.key == database.zone(number)
  }

  /// Forgets that there was a zone.
  func forget(_ number: UInt64, in transaction: any StorageWriting) throws {
    // The name of a zone that was reset leads to its mark, or to the zone that was made after it.
    if let zone = try zone(number, in: transaction), try self.number(named: zone.name, in: transaction) == number {
      try transaction.remove(database.zoneNumber(named: zone.name))
    }
    try transaction.remove(database.zone(number))
  }

  /// Deletes a zone, and leaves a mark for those who have seen it.
  ///
  /// What lay in it can be reached no more, since no other zone gets its number; a chore erases it in steps.
  ///
  /// - Parameter isReset: The keys of its sealed values are lost; whoever names the zone is told so until it is made anew.
  func delete(_ zone: StoredZone, at time: Timestamp, isReset: Bool = false, in transaction: any StorageWriting) throws
  {
    let keys = ZoneKeys(database: database, number: zone.number)
    if !isReset { try transaction.remove(database.zoneNumber(named: zone.name)) }
    var mark = StoredZone(number: zone.number, name: zone.name, created: zone.created)
    mark.deleted = time
    mark.isReset = isReset
    try save(mark, in: transaction)
    try note(deletedThrough: zone.lastPosition, in: transaction)
    try Chore(.eraseZone, of: keys, due: time).add(in: transaction)
  }
}

// MARK: - How far deleted zones went

extension ZoneDirectory {
  /// The last position that any deleted zone had; zero where none was deleted, or by earlier servers alone.
  ///
  /// Marks of deleted zones are forgotten some time, but not that.
  private func deletedThrough(in transaction: any StorageReading) throws -> UInt64 {
    guard let bytes = try transaction.value(of: database.realm.database(of: database.owner)), !bytes.isEmpty else {
      return 0
    }
    var form = FormReader(bytes)
    guard try form.byte() == Self.version else { throw form.damage("an unknown form of what is known of a database") }
    let position = try form.number()
    try form.requireEnd()
    return position
  }

  private func note(deletedThrough position: UInt64, in transaction: any StorageWriting) throws {
    guard try position > deletedThrough(in: transaction) else { return }
    var form = FormWriter(capacity: 11)
    form.byte(Self.version)
    form.number(position)
    try transaction.set(form.bytes, for: database.realm.database(of: database.owner))
  }

  private static let version: UInt8 = 1
}
