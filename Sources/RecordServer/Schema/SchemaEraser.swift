import CloudRecords
import RecordStorage

/// Erases data that a replaced schema does not allow, in bounded transactions.
///
/// Several processes may erase at once, and each may restart: erasing is idempotent. The first
/// process that reaches the end allows saves again. Then the others erase nothing more.
struct SchemaEraser: Sendable {
  let server: RecordServer
  let realm: Realm
  let pending: PendingReplacement

  func run() async throws(CloudError) {
    var owner: String?
    while let next = try await server.nextOwner(after: owner, in: realm) {
      let database = DatabaseKeys(realm: realm, owner: next)
      if pending.erasure == .everything {
        try await eraseZones(of: database)
      } else {
        try await eraseParts(of: database)
      }
      owner = next
    }
    if pending.erasure == .everything { try await makeUserRecords() }
    let (key, text) = (SchemaCopy.key(realm), pending.text)
    try await write(nil, otherwise: ()) { try $0.set(text, for: key) }
  }

  /// Runs a transaction, unless another process has completed the replacement.
  ///
  /// - Parameter otherwise: The result if the transaction does not run.
  private func write<Result: Sendable>(
    _ partition: String?, otherwise: Result,
    _ body: @escaping @Sendable (any StorageWriting) throws -> Result
  ) async throws(CloudError) -> Result {
    let (key, bytes) = (SchemaCopy.key(realm), pending.bytes)
    return try await server.write(partition) { transaction in
      guard try transaction.value(of: key) == bytes else { return otherwise }
      return try body(transaction)
    }
  }

  // MARK: Everything

  private func eraseZones(of database: DatabaseKeys) async throws(CloudError) {
    let now = server.dependencies.now()
    var isDone = false
    while !isDone {
      isDone = try await write(database.owner, otherwise: true) { transaction in
        let directory = ZoneDirectory(database: database)
        let zones = try directory.zones(in: transaction).filter { $0.deleted == nil }.prefix(
          ServerLimits.zonesPerStep)
        for zone in zones { try directory.delete(zone, at: now, in: transaction) }
        return zones.count < ServerLimits.zonesPerStep
      }
    }
  }

  /// Recreates the users' records in the public database, in bounded transactions.
  ///
  /// A reset erases the contents of user records, but keeps the records.
  private func makeUserRecords() async throws(CloudError) {
    let (realm, now) = (realm, server.dependencies.now())
    var last: String?
    repeat {
      let start = last
      last = try await write(nil, otherwise: nil) { transaction in
        let names = try UserDirectory(realm: realm).names(
          after: start, limit: ServerLimits.entriesPerStep, in: transaction)
        try UserRecord.make(of: names, in: realm, at: now, transaction)
        return names.count < ServerLimits.entriesPerStep ? nil : names.last
      }
    } while last != nil
  }

  // MARK: Parts

  private func eraseParts(of database: DatabaseKeys) async throws(CloudError) {
    let (erasure, now) = (pending.erasure, server.dependencies.now())
    let zones = try await server.read(database.owner) { transaction in
      try ZoneDirectory(database: database).zones(in: transaction).filter { $0.deleted == nil }
    }
    for zone in zones {
      let keys = ZoneKeys(database: database, number: zone.number)
      try await write(database.owner, otherwise: ()) { transaction in
        try ZoneIndexes(of: zone, keys, in: transaction).drop(at: now, in: transaction) {
          erasure.drops($0)
        }
      }
      // Erasing a record may move others to the end of the feed, where this loop reaches them. The
      // loop ends, because erased records need no further change and no client saves meanwhile.
      var position: UInt64? = 0
      while let start = position {
        position = try await write(database.owner, otherwise: nil) { transaction in
          try EraserStep(erasure, database, zone.number, transaction)?.run(after: start, at: now)
        }
      }
    }
  }
}

/// One transaction that erases parts of a zone.
private final class EraserStep {
  private let erasure: SchemaErasure
  private let draft: ZoneDraft
  private let transaction: any StorageWriting

  /// Creates a step; nil if the zone was deleted meanwhile.
  init?(
    _ erasure: SchemaErasure, _ database: DatabaseKeys, _ number: UInt64,
    _ transaction: any StorageWriting
  ) throws {
    let directory = ZoneDirectory(database: database)
    guard let zone = try directory.zone(number, in: transaction), zone.deleted == nil else {
      return nil
    }
    self.erasure = erasure
    self.transaction = transaction
    draft = ZoneDraft(
      zone: zone, keys: ZoneKeys(database: database, number: number), transaction: transaction)
  }

  /// Erases what the schema does not allow in the next entries.
  ///
  /// - Returns: The position that the step reached; nil at the zone's end.
  func run(after position: UInt64, at now: Timestamp) throws -> UInt64? {
    let (entries, isWhole) = try transaction.entriesOfStep(in: draft.keys.entries(after: position))
    for entry in entries {
      guard case .record(let stored) = try StoredEntry(bytes: entry.value),
        // The record may have lost its parent earlier in this step.
        let record = try draft.isChanged(stored.recordName)
          ? draft.record(stored.recordName) : stored,
        let effect = erasure.effect(on: record)
      else { continue }
      switch effect {
      case .removed: try remove(record)
      case .changed(let kept): draft.save(kept)
      }
    }
    if !draft.isEmpty {
      let roots = try draft.coverChanges()
      try draft.store(in: transaction, at: now)
      var walk = try CoverageWalk(below: draft, in: transaction)
      try walk.run(from: roots)
      try draft.storeZone(in: transaction)
    }
    guard !isWhole, let last = entries.last else { return nil }
    return try draft.keys.position(of: last.key.bytes.span)
  }

  /// Deletes a record with its share.
  ///
  /// Its children stay without a parent.
  private func remove(_ record: StoredRecord) throws {
    draft.delete(record.recordName)
    if let share = record.shareName, try draft.record(share) != nil {
      draft.delete(share)
      draft.changeZone { $0.recordShareCount -= 1 }
    }
    for name in try draft.children(of: record.recordName) {
      guard var child = try draft.record(name) else { continue }
      child.parentName = nil
      draft.save(child)
    }
  }
}
