import BinaryCoding
import CloudRecords
import RecordStorage

/// The shared zones of a database, in the order of their latest changes.
///
/// A participant's feed reads only the zones that changed since its token. Each zone has one place,
/// which moves to the end with each change, so a change costs its writer the same for one
/// participant and for a hundred.
///
/// ```
/// number  3          7        8                 a feed with the token 7
///         Photos ─── Notes ── Lists             reads only Lists
/// ```
struct SharedChanges {
  let database: DatabaseKeys

  /// The last number of the order, and the numbers that the order has forgotten.
  struct Progress: Hashable {
    /// The number of the last change; zero if there was none.
    var last: UInt64 = 0
    /// The greatest number that a forgotten zone had in the order; zero if no zone was forgotten.
    ///
    /// A token of a lower number has expired, because its reader may not know that the zone was
    /// deleted.
    var forgottenThrough: UInt64 = 0
  }

  /// A zone at the place of its latest change.
  struct Change: Hashable {
    var number: UInt64
    var zoneNumber: UInt64
    var zoneName: String
  }

  // MARK: Writing

  /// Moves a zone to the end, in the transaction of its change.
  func recordChange(of zone: StoredZone, in transaction: any StorageWriting) throws {
    var progress = try Self.progress(of: [database], in: transaction)[0]
    if let former = try number(ofZone: zone.number, in: transaction) {
      try transaction.remove(database.sharedChange(former))
    }
    progress.last += 1
    let change = Change(
      number: progress.last, zoneNumber: zone.number, zoneName: zone.name)
    try transaction.set(change.bytes, for: database.sharedChange(change.number))
    var form = BinaryWriter(capacity: 10)
    form.number(change.number)
    try transaction.set(form.bytes, for: database.sharedChange(ofZone: zone.number))
    try transaction.set(progress.bytes, for: database.sharedChangeProgress)
  }

  /// Forgets a zone, after its tombstone was removed.
  func forget(zone number: UInt64, in transaction: any StorageWriting) throws {
    guard let change = try self.number(ofZone: number, in: transaction) else { return }
    var progress = try Self.progress(of: [database], in: transaction)[0]
    progress.forgottenThrough = max(progress.forgottenThrough, change)
    try transaction.set(progress.bytes, for: database.sharedChangeProgress)
    try transaction.remove(database.sharedChange(change))
    try transaction.remove(database.sharedChange(ofZone: number))
  }

  // MARK: Reading

  /// The progress of several databases, in one read.
  static func progress(of databases: [DatabaseKeys], in transaction: any StorageReading) throws
    -> [Progress]
  {
    try transaction.values(of: databases.map(\.sharedChangeProgress)).map {
      try $0.map { try Progress(bytes: $0) } ?? Progress()
    }
  }

  /// The changes after a number, oldest first.
  func changes(after number: UInt64, limit: Int, in transaction: any StorageReading) throws
    -> [Change]
  {
    let prefix = database.sharedChanges
    return try transaction.entries(
      in: StorageRange(prefix: prefix, after: database.sharedChange(number)), limit: limit
    ).map { entry in
      var key = StorageKeyReader(after: prefix)
      return try Change(number: try key.unsigned(in: entry.key.bytes.span), bytes: entry.value)
    }
  }

  private func number(ofZone number: UInt64, in transaction: any StorageReading) throws -> UInt64? {
    try transaction.value(of: database.sharedChange(ofZone: number)).map { bytes in
      var form = BinaryReader(bytes)
      return try form.number()
    }
  }
}

extension StoredZone {
  /// Whether the zone or any of its records is shared.
  var isShared: Bool { zoneShareName != nil || recordShareCount > 0 }
}

// MARK: - Stored encoding

extension SharedChanges.Progress {
  private static let version: UInt8 = 1

  fileprivate var bytes: [UInt8] {
    var form = BinaryWriter(capacity: 21)
    form.byte(Self.version)
    form.number(last)
    form.number(forgottenThrough)
    return form.bytes
  }

  fileprivate init(bytes: [UInt8]) throws {
    var form = BinaryReader(bytes)
    guard try form.byte() == Self.version else {
      throw form.error("an unknown form of the progress of shared changes")
    }
    last = try form.number()
    forgottenThrough = try form.number()
    try form.requireEnd()
  }
}

extension SharedChanges.Change {
  private static let version: UInt8 = 1

  fileprivate var bytes: [UInt8] {
    var form = BinaryWriter(capacity: 48)
    form.byte(Self.version)
    form.number(zoneNumber)
    form.text(zoneName)
    return form.bytes
  }

  fileprivate init(number: UInt64, bytes: [UInt8]) throws {
    var form = BinaryReader(bytes)
    guard try form.byte() == Self.version else {
      throw form.error("an unknown form of a shared change")
    }
    self.number = number
    zoneNumber = try form.number()
    zoneName = try form.text()
    try form.requireEnd()
  }
}

extension DatabaseKeys {
  fileprivate var sharedChangeProgress: StorageKey { key(.sharedChangeProgress) }

  fileprivate var sharedChanges: StorageKey { key(.sharedChange) }

  fileprivate func sharedChange(_ number: UInt64) -> StorageKey {
    var key = sharedChanges
    key.append(unsigned: number)
    return key
  }

  fileprivate func sharedChange(ofZone number: UInt64) -> StorageKey {
    var key = key(.sharedChangeOfZone)
    key.append(unsigned: number)
    return key
  }
}
