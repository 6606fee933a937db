import BinaryCoding
import CloudRecords
import RecordStorage

/// One transaction of a maintenance task for a zone, or for the zones of a database.
///
/// It collects the users to notify after the commit.
final class ZoneMaintenanceTask {
  private let task: MaintenanceTask
  private let keys: ZoneKeys
  private let directory: ZoneDirectory
  private let limits: ServiceLimits
  private let now: Timestamp
  private let transaction: any StorageWriting
  /// The former participants of the shares of a deleted zone.
  private(set) var removedParticipants: Set<String> = []

  init(
    _ task: MaintenanceTask, _ limits: ServiceLimits, _ now: Timestamp,
    _ transaction: any StorageWriting
  ) {
    self.task = task
    keys = task.zoneKeys
    directory = ZoneDirectory(database: task.database)
    self.limits = limits
    self.now = now
    self.transaction = transaction
  }

  /// Performs a part of the task.
  ///
  /// - Returns: Whether it was the last part.
  func step() throws -> Bool {
    switch task.kind {
    case .eraseZone: try erase()
    case .forgetZones:
      try directory.forgetMarks(olderThan: limits.tombstoneSeconds, at: now, in: transaction)
    case .purgeTombstones: try purge()
    case .replaceSchema, .forgetDevices, .forgetClients: true
    case .workOnIndexes: try workOnIndexes()
    }
  }

  private func workOnIndexes() throws -> Bool {
    guard let zone = try directory.zone(keys.number, in: transaction), zone.deleted == nil else {
      return true
    }
    return try ZoneIndexes(of: zone, keys, in: transaction).step(in: transaction)
  }

  // MARK: Deleted zones

  private func erase() throws -> Bool {
    let most = ServerLimits.entriesPerStep
    let entries = keys.entries(after: 0)
    var (last, links, bytes): (StorageKey?, [String], Int) = (nil, [], 0)
    // The step keeps no record in memory, and reads few large ones: each may have a megabyte.
    try transaction.visitEntries(in: entries, order: .ascending, limit: most) { key, value in
      last = StorageKey(bytes: Array(copying: key))
      links += try endShare(in: Array(copying: value))
      bytes += value.count
      return bytes < ServerLimits.bytesPerStep ? .proceed : .stop
    }
    if let last {
      for name in links { try ShortNames(realm: task.realm).forget(name, in: transaction) }
      try transaction.removeEntries(in: StorageRange(from: entries.lower, to: last.successor))
      return false
    }
    guard try AssetLinks(keys: keys).remove(most: most, at: now, in: transaction) < most else {
      return false
    }
    for range in keys.contents {
      let found = try transaction.entries(in: range, limit: most)
      guard let last = found.last else { continue }
      try transaction.removeEntries(in: StorageRange(from: range.lower, to: last.key.successor))
      return false
    }
    if let mark = try directory.zone(keys.number, in: transaction) {
      try directory.order(mark, in: transaction)
    }
    return true
  }

  /// Adds the participants of a share to those that are notified of the zone's deletion.
  ///
  /// - Returns: The short identifiers of the share's links; empty if the entry is not a share.
  private func endShare(in bytes: [UInt8]) throws -> [String] {
    guard try StoredEntry.recordType(in: bytes) == ShareDetails.recordType,
      case .record(let record) = try StoredEntry(bytes: bytes), let share = record.share
    else { return [] }
    removedParticipants.formUnion(ShareRules.removedParticipants(from: share, by: nil))
    return record.shareNames
  }

  // MARK: Tombstones

  private func purge() throws -> Bool {
    guard var zone = try directory.zone(keys.number, in: transaction), zone.deleted == nil else {
      return true
    }
    let found = try transaction.entries(in: keys.tombstones, limit: ServerLimits.entriesPerStep)
    var young: Timestamp?
    for entry in found {
      let due = try Self.time(entry.value).adding(seconds: limits.tombstoneSeconds)
      guard due <= now else {
        young = due
        break
      }
      let position = try keys.position(of: entry.key.bytes.span)
      zone.bytesUsed = max(0, zone.bytesUsed - (try remove(at: position)))
      try transaction.remove(entry.key)
      zone.purgedThrough = position
    }
    let isDone = young != nil || found.count < ServerLimits.entriesPerStep
    if isDone {
      zone.purgeDue = young
      if let young {
        try MaintenanceTask(.purgeTombstones, of: keys, due: young).add(in: transaction)
      }
    }
    try directory.save(zone, in: transaction)
    return isDone
  }

  /// Removes a tombstone.
  ///
  /// - Returns: The size of the tombstone in bytes.
  private func remove(at position: UInt64) throws -> Int64 {
    guard let bytes = try transaction.value(of: keys.entry(at: position)) else { return 0 }
    try transaction.remove(keys.name(try StoredEntry(bytes: bytes).recordName))
    try transaction.remove(keys.entry(at: position))
    return Int64(bytes.count)
  }

  private static func time(_ value: [UInt8]) throws -> Timestamp {
    var form = BinaryReader(value)
    return Timestamp(milliseconds: try form.signed())
  }
}
