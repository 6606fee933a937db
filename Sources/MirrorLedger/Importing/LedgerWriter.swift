import CloudRecords
import Foundation
import MirrorModel
import ObjectRows
import SQLiteDriver

/// Writes an import's changes to the ledger, in the open transaction.
struct LedgerWriter {
  package let names: LedgerNames
  private let options: LedgerOptions
  private let homeZone: Int64
  package let connection: Connection

  init(_ names: LedgerNames, _ options: LedgerOptions, homeZone: Int64, on connection: Connection) {
    self.names = names
    self.options = options
    self.homeZone = homeZone
    self.connection = connection
  }

  package func write(_ changes: LedgerChanges, _ coalescer: inout OutboxCoalescer, group: Int64)
    throws
  {
    var zones = ZoneNumbers(connection)
    try forget(changes.deleted, &coalescer, group: group)
    try write(changes.records, &zones)
    let deferred = DeferredTable(names, connection)
    try writeUnread(changes.records, deferred, &zones)
    for record in changes.records where !record.lacking.isEmpty {
      if case .object(let object) = record.subject {
        try coalescer.enqueueUnchanged(object, record.lacking, group: group)
      }
    }
    try resolve(changes.resolved, deferred, &zones)
    try deferred.add(changes.deferred, &zones)
    // Sorted, so that new zones get repeatable numbers.
    for (zone, token) in changes.zoneTokens.sorted(by: { $0.key < $1.key }) {
      try connection.setToken(token, ofZone: zones.number(of: zone))
    }
    for (key, value) in changes.state { try connection.setState(key, to: value) }
    if !changes.merges.isEmpty {
      try deferred.add(changes.merges, in: options.homeZone, &zones)
    }
    let mergedDuplicates = DuplicateTable(connection)
    for duplicate in changes.mergedDuplicates { try mergedDuplicates.note(duplicate, &zones) }
    if let received = changes.received { try ReaderTable(connection).note(received) }
    if !changes.journal.isEmpty { try JournalTable(names, connection).append(changes.journal) }
  }

  /// Drops the deferred items that the import resolved.
  ///
  /// Few records have deferred items, so the usual import runs no statement for each record.
  private func resolve(
    _ resolved: [(kinds: [DeferredItem.Kind], subject: DeferredItem.Subject)],
    _ deferred: DeferredTable, _ zones: inout ZoneNumbers
  ) throws {
    guard try !resolved.isEmpty && !deferred.isEmpty else { return }
    let hasRecords = try deferred.has(DeferredItem.Kind.ofRecords)
    for (kinds, subject) in resolved where hasRecords || kinds != DeferredItem.Kind.ofRecords {
      try deferred.remove(kinds, subject, &zones)
    }
  }

  /// Replaces the deferred items of values that could not be read.
  private func writeUnread(
    _ records: [LedgerChanges.Record], _ deferred: DeferredTable, _ zones: inout ZoneNumbers
  ) throws {
    let isEmpty = try deferred.isEmpty
    for record in records where !isEmpty || !record.unread.isEmpty {
      guard case .object(let object) = record.subject else { continue }
      try deferred.remove([.value], of: object)
      let items = record.unread.sorted { $0.key < $1.key }.map {
        DeferredItem(.value, .property(object, ordinal: $0.key), reason: $0.value)
      }
      try deferred.add(items, &zones)
    }
  }

  // MARK: Deletions

  /// Drops deleted pairs, then deleted objects, whose remaining pairs are enqueued for deletion.
  private func forget(
    _ deleted: [OutboxEntry.Subject], _ coalescer: inout OutboxCoalescer, group: Int64
  ) throws {
    for case .pair(let pair) in deleted {
      guard let relationship = names.relationship(pair.entity, pair.relationship) else { continue }
      try connection.run(
        "DELETE FROM PHM_PAIR WHERE relationship = ?1 AND first = ?2 AND second = ?3",
        relationship.number, pair.first.key, pair.second.key)
    }
    let isAnyUnsent = try connection.number(DuplicateTable.anyUnsent) != nil
    for case .object(let object) in deleted {
      guard let entity = names.entity(Int(object.layoutIndex)) else { continue }
      if isAnyUnsent { try DuplicateTable(connection).noteGone(entity, object.key) }
      try coalescer.delete(object, group: group)
      try connection.run(
        "DELETE FROM PHM_OBJECT WHERE entity = ?1 AND key = ?2", entity, object.key)
    }
  }

  // MARK: Records

  private func write(_ records: [LedgerChanges.Record], _ zones: inout ZoneNumbers) throws {
    for record in records {
      let zone = try zones.number(of: record.identifier.zone)
      let name = RecordName(record.identifier.recordName)
      do {
        try write(record, zone, name)
      } catch let error as SQLiteError where error.code.primary == .constraint {
        // Another process has created an object for the record since this import read the ledger.
        if record.isNew { throw LedgerOutdated() }
        // The name belonged to a removed object, or to one of two objects that the import merged.
        try connection.run(
          "DELETE FROM PHM_OBJECT WHERE zone = ? AND name = ?", [.integer(zone), name.value])
        try connection.run(
          "DELETE FROM PHM_PAIR WHERE zone = ? AND name = ?", [.integer(zone), name.value])
        try write(record, zone, name)
      }
    }
  }

  private func write(_ record: LedgerChanges.Record, _ zone: Int64, _ name: RecordName) throws {
    switch record.subject {
    case .object(let object): try write(record, object, zone, name)
    case .pair(let pair): try write(record, pair, zone, name)
    }
  }

  package static let object =
    "INSERT INTO PHM_OBJECT(entity, key, zone, name, reach, at, tag, moves) VALUES(?1, ?2, ?3, ?4, "
    + "2, ?5, ?6, ?7) "
    + "ON CONFLICT(entity, key) DO UPDATE SET zone = excluded.zone, name = excluded.name, "
    + "reach = 2, at = excluded.at, moves = max(moves, excluded.moves), "
    // The server has the record: an insertion becomes an update of what changed since it was first
    // sent.
    + "tag = excluded.tag, pending = CASE pending WHEN 0 THEN 1 ELSE pending END"

  private func write(
    _ record: LedgerChanges.Record, _ object: RowKey, _ zone: Int64, _ name: RecordName
  ) throws {
    guard let entity = names.entity(Int(object.layoutIndex)) else { return }
    var statement = try connection.prepare(Self.object)
    try statement.bind(entity, object.key, zone, name)
    try statement.bindVersion(record.tag, at: options.now(), from: 5)
    try statement.bind(record.moves, at: 7)
    try statement.run()
    let digests = PropertyDigests(record.digests, names, Int(object.layoutIndex))
    try SystemFields.set(record.systemFields, digests, of: [entity, object.key], on: connection)
    switch record.settled {
    case .nothing: break
    case .everything: try connection.run(Self.settlingAll, entity, object.key)
    case .properties(let settled): try settle(settled, object, entity)
    }
  }

  static let settlingAll =
    "UPDATE PHM_OBJECT SET pending = NULL, grp = NULL, sent = NULL, sentstamp = NULL, m0 = 0, "
    + "m1 = 0, m2 = 0, m3 = 0, "
    + "s0 = 0, s1 = 0, s2 = 0, s3 = 0, e0 = NULL, e1 = NULL, e2 = NULL, e3 = NULL WHERE entity "
    + "= ?1 AND key = ?2 AND pending IS NOT NULL"

  /// Removes properties from a pending update, and the entry if none is left.
  ///
  /// Values that were sent before carry a former tag, so the server rejects them.
  private func settle(_ settled: OrdinalSet, _ object: RowKey, _ entity: Int64) throws {
    let mask = names.mask(without: settled, Int(object.layoutIndex))
    let columns = (0..<4).map {
      "m\($0) = m\($0) & ?\($0 + 3), s\($0) = s\($0) & ?\($0 + 3), e\($0) = NULL"
    }
    var statement = try connection.prepare(
      "UPDATE PHM_OBJECT SET \(columns.joined(separator: ", ")) WHERE entity = ?1 AND key = ?2 AND pending = 1"
    )
    try statement.bind(entity, object.key)
    try statement.bind(mask, at: 3)
    try statement.run()
    try connection.run(
      "UPDATE PHM_OBJECT SET pending = NULL, grp = NULL, sent = NULL, sentstamp = NULL WHERE "
        + "entity = ?1 AND key = ?2 "
        + "AND pending = 1 AND m0 | m1 | m2 | m3 | s0 | s1 | s2 | s3 = 0", entity, object.key)
  }

  package static let pair =
    "INSERT INTO PHM_PAIR(relationship, first, second, firstentity, secondentity, zone, name, "
    + "reach, at, tag, moves) "
    + "VALUES(?1, ?2, ?3, ?4, ?5, ?6, ?7, 2, ?8, ?9, ?10) ON CONFLICT(relationship, first, second) "
    + "DO UPDATE SET "
    + "zone = excluded.zone, name = excluded.name, reach = 2, at = excluded.at, tag = "
    + "excluded.tag, moves = max(moves, excluded.moves), "
    + "grp = CASE pending WHEN 2 THEN grp END, pending = CASE pending WHEN 2 THEN 2 END"

  private func write(
    _ record: LedgerChanges.Record, _ pair: PairKey, _ zone: Int64, _ name: RecordName
  ) throws {
    guard let relationship = names.relationship(pair.entity, pair.relationship),
      let first = names.entity(Int(pair.first.layoutIndex)),
      let second = names.entity(Int(pair.second.layoutIndex))
    else { return }
    var statement = try connection.prepare(Self.pair)
    try statement.bind(
      relationship.number, pair.first.key, pair.second.key, first, second, zone, name)
    try statement.bindVersion(record.tag, at: options.now(), from: 8)
    try statement.bind(record.moves, at: 10)
    try statement.run()
    try SystemFields.set(
      record.systemFields, of: [relationship.number, pair.first.key, pair.second.key],
      on: connection)
    if case .everything = record.settled {
      try connection.run(
        "UPDATE PHM_PAIR SET pending = NULL, grp = NULL, sent = NULL, sentstamp = NULL WHERE "
          + "relationship = ?1 AND first = ?2 "
          + "AND second = ?3", relationship.number, pair.first.key, pair.second.key)
    }
  }
}

extension Statement {
  /// Binds the time and the tag of a server's version.
  mutating func bindVersion(_ tag: String?, at date: Date, from parameter: Int) throws(SQLiteError)
  {
    try bind(date.timeIntervalSinceReferenceDate, at: parameter)
    if let tag { try bind(tag, at: parameter + 1) } else { try bindNull(at: parameter + 1) }
  }
}
