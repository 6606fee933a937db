import BinaryCoding
import CloudRecords
import RecordStorage

/// Mends what deletions of earlier servers left: records without the parents by which they belonged
/// to a share, which say that they do all the same.
extension RecordServer {
  /// Goes through all records once; a crash begins it anew, past what is done already.
  ///
  /// Those who saw such records are told that they are gone. Pages without any are only read.
  func mendCoverage() async throws(CloudError) {
    guard try await read(StoreUpgrade.partition, { try !StoreUpgrade.isDone(in: $0) }) else {
      return
    }
    try await visitZones { keys, container throws(CloudError) in
      var position: UInt64? = 0
      while let start = position {
        position = try await mendPage(after: start, of: keys, container)
      }
    }
    try await write(StoreUpgrade.partition) { try StoreUpgrade.note(in: $0) }
  }

  /// - Returns: The place behind which the next page begins; nil at the zone's end.
  private func mendPage(
    after position: UInt64, of keys: ZoneKeys, _ container: ContainerAddress
  ) async throws(CloudError) -> UInt64? {
    let page = CoveragePage(keys: keys, container: container, position: position)
    let (names, last) = try await read(keys.database.owner) { try page.look(in: $0) }
    guard !names.isEmpty else { return last }
    let now = environment.now()
    let notice = try await write(keys.database.owner) { try page.mend(names, at: now, in: $0) }
    if let notice { listener?.zonesChanged([notice]) }
    return last
  }
}

/// Whether a store's records were mended.
private enum StoreUpgrade {
  static let partition = "_mending"

  private static let version: UInt8 = 1

  private static var key: StorageKey {
    StorageKey(partition: partition, keyspace: Keyspace.mending.rawValue)
  }

  static func isDone(in transaction: any StorageReading) throws -> Bool {
    try transaction.value(of: key) != nil
  }

  static func note(in transaction: any StorageWriting) throws {
    try transaction.set([version], for: key)
  }
}

/// Some hundred entries of a zone, behind a position.
private struct CoveragePage: Sendable {
  let keys: ZoneKeys
  let container: ContainerAddress
  let position: UInt64

  /// - Returns: The records that say to belong to another share than they do; and the position of
  ///   the last entry, nil where the page is the zone's last.
  func look(in transaction: any StorageReading) throws -> (names: [String], last: UInt64?) {
    let entries = try transaction.entries(
      in: keys.entries(after: position), limit: ServerLimits.entriesPerStep)
    guard let last = entries.last, let draft = try draft(in: transaction) else { return ([], nil) }
    let names = try entries.compactMap { entry -> String? in
      guard StoredEntry.isRecord(entry.value.span),
        case .record(let record) = try StoredEntry(bytes: entry.value),
        record.coveringShareName != nil
      else { return nil }
      return record.recordName
    }
    let isLast = entries.count < ServerLimits.entriesPerStep
    return (
      try wrong(names, in: draft).map(\.recordName),
      isLast ? nil : try keys.position(of: last.key.bytes.span)
    )
  }

  func mend(_ names: [String], at now: Timestamp, in transaction: any StorageWriting) throws
    -> ZoneNotice?
  {
    guard let draft = try draft(in: transaction) else { return nil }
    for record in try wrong(names, in: draft) { draft.restamp(record) }
    // What lies below these is wrong as well, and mended with its own page, of which its readers
    // are told.
    _ = try draft.coverChanges()
    let before = draft.zone.lastPosition
    let mended = try draft.store(in: transaction, at: now)
    guard !mended.isEmpty else { return nil }
    try ZoneDirectory(database: keys.database).save(draft.zone, in: transaction)
    let call = Call(
      container: container, realm: keys.database.realm, scope: .private, caller: .anonymous)
    return ZoneNotice(
      call, zone: RecordZoneIdentifier(zoneName: draft.zone.name, ownerName: keys.database.owner),
      positions: before..<draft.zone.lastPosition, zoneShareName: draft.zone.zoneShareName,
      events: mended.map { RecordEvent(event: .update, record: $0) })
  }

  private func draft(in transaction: any StorageReading) throws -> ZoneDraft? {
    let zone = try ZoneDirectory(database: keys.database).zone(keys.number, in: transaction)
    guard let zone, zone.deleted == nil else { return nil }
    return ZoneDraft(zone: zone, keys: keys, transaction: transaction)
  }

  private func wrong(_ names: [String], in draft: ZoneDraft) throws -> [StoredRecord] {
    try draft.load(names)
    return try names.compactMap(draft.record).filter {
      try draft.covering($0) != $0.coveringShareName
    }
  }
}
