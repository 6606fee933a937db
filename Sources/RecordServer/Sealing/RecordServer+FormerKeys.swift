import CloudRecords
import RecordStorage

/// Reseals values that former keys sealed.
///
/// Records keep their positions and tags, so that nothing changes for clients.
extension RecordServer {
  /// Reseals the values that former keys sealed, unless there are known to be none.
  ///
  /// Pages without anything to do are only read, so that writers wait only while values are sealed.
  func sealUnderCurrentKey() async throws(CloudError) {
    let stored = try await read(StoredSealingKey.partition) { try StoredSealingKey.read(in: $0) }
    guard let stored, !stored.isOnlyKeyInUse, stored.current == sealer.current?.identifier else {
      return
    }
    try await visitZones { keys, _ throws(CloudError) in
      var position: UInt64? = 0
      while let start = position { position = try await sealPage(after: start, of: keys) }
    }
    try await write(StoredSealingKey.partition) { transaction in
      guard try StoredSealingKey.read(in: transaction) == stored else { return }
      try stored.withOnlyKeyInUse.save(in: transaction)
    }
  }

  /// Reseals the values of a page.
  ///
  /// - Returns: The position after which the next page begins; nil at the zone's end.
  private func sealPage(after position: UInt64, of keys: ZoneKeys) async throws(CloudError)
    -> UInt64?
  {
    let page = FormerKeyPage(sealing: RecordSealing(sealer, in: keys), position: position)
    let (hasFormer, last) = try await read(keys.database.owner) { try page.look(in: $0) }
    // Records may have moved after the read, so the end of the sealed page counts.
    return hasFormer ? try await write(keys.database.owner) { try page.seal(in: $0) } : last
  }

  /// Visits every zone of every database, except deleted ones.
  func visitZones(
    _ body: (ZoneKeys, ContainerAddress) async throws(CloudError) -> Void
  ) async throws(CloudError) {
    for (realm, address) in try await realms() {
      var owner: String?
      while let next = try await nextOwner(after: owner, in: realm) {
        let database = DatabaseKeys(realm: realm, owner: next)
        let zones = try await read(next) { transaction in
          try ZoneDirectory(database: database).zones(in: transaction).filter { $0.deleted == nil }
        }
        for zone in zones {
          try await body(ZoneKeys(database: database, number: zone.number), address)
        }
        owner = next
      }
    }
  }
}

/// A page of entries of a zone, after a position.
private struct FormerKeyPage: Sendable {
  let sealing: RecordSealing
  let position: UInt64

  private var keys: ZoneKeys { sealing.keys }

  /// The entries, and the position of the last one; nil if the page is the zone's last.
  private func page(in transaction: any StorageReading) throws -> (
    entries: [StorageEntry], last: UInt64?
  ) {
    let (entries, isWhole) = try transaction.entriesOfStep(in: keys.entries(after: position))
    guard !isWhole, let last = entries.last else { return (entries, nil) }
    return (entries, try keys.position(of: last.key.bytes.span))
  }

  /// Finds values to reseal.
  ///
  /// - Returns: Whether there is something to do, and the position of the page's last entry.
  func look(in transaction: any StorageReading) throws -> (hasFormer: Bool, last: UInt64?) {
    let (entries, last) = try page(in: transaction)
    return (try entries.contains { try sealing.isUnderFormerKey($0.value) }, last)
  }

  /// Reseals the values.
  ///
  /// - Returns: The position of the page's last entry; nil at the zone's end, or if it was deleted.
  func seal(in transaction: any StorageWriting) throws -> UInt64? {
    let directory = ZoneDirectory(database: keys.database)
    guard var zone = try directory.zone(keys.number, in: transaction), zone.deleted == nil else {
      return nil
    }
    let (entries, last) = try page(in: transaction)
    for entry in entries {
      guard let sealed = try sealing.resealed(entry.value) else { continue }
      try transaction.set(sealed, for: entry.key)
      zone.bytesUsed = max(0, zone.bytesUsed + Int64(sealed.count - entry.value.count))
    }
    try directory.save(zone, in: transaction)
    return last
  }
}

extension RecordSealing {
  /// Whether an entry has values under a former key.
  fileprivate func isUnderFormerKey(_ entry: [UInt8]) throws -> Bool {
    guard StoredEntry.isRecord(entry.span), case .record(let record) = try StoredEntry(bytes: entry)
    else {
      return false
    }
    return record.sealed.contains(where: isUnderFormerKey)
  }

  private func isUnderFormerKey(_ field: SealedField) -> Bool {
    guard let key = ValueSealer.key(of: field.bytes) else { return false }
    // A value whose key is missing stays unchanged.
    return key != sealer.current?.identifier && sealer.has(key)
  }

  /// The entry with all values sealed under the current key; nil if they already are or cannot be
  /// opened.
  fileprivate func resealed(_ entry: [UInt8]) throws -> [UInt8]? {
    guard try isUnderFormerKey(entry), case .record(var record) = try StoredEntry(bytes: entry)
    else { return nil }
    for field in record.sealed where isUnderFormerKey(field) {
      guard let opened = try? opened(field, of: record.recordName) else { continue }
      record.fields[field.name] = opened
    }
    try sealMarked(in: &record)
    let sealed = StoredEntry.record(record).bytes
    return sealed == entry ? nil : sealed
  }
}
