package import CloudRecords
import Foundation
package import MirrorModel
package import ObjectRows
import SQLiteDriver

/// Records by subject and by name.
extension Ledger {
  /// Whether objects of a row's entity are mirrored.
  package func tracks(_ object: RowKey) -> Bool { names.entity(Int(object.layoutIndex)) != nil }

  /// Whether the pairs of a many-to-many relationship are kept in this direction.
  package func tracks(_ relationship: String, of entity: String) -> Bool {
    names.relationship(entity, relationship) != nil
  }

  /// Returns the ledger's rows of objects, without unknown ones.
  package func records(of objects: [RowKey]) throws -> [RowKey: LedgerRecord] {
    try read { connection in
      let zones = ZoneIdentifiers(connection)
      var found: [RowKey: LedgerRecord] = [:]
      var statement = try connection.prepare(RecordQueries.objectByKey)
      for object in objects {
        guard let entity = names.entity(Int(object.layoutIndex)) else { continue }
        try statement.bind(entity, object.key)
        while try statement.step() { found[object] = try objectRecord(statement.row, zones) }
      }
      return found
    }
  }

  /// Returns the ledger's rows of pairs, without unknown ones.
  package func records(of pairs: [PairKey]) throws -> [PairKey: LedgerRecord] {
    try read { connection in
      let zones = ZoneIdentifiers(connection)
      var found: [PairKey: LedgerRecord] = [:]
      var statement = try connection.prepare(RecordQueries.pairByKey)
      for pair in pairs {
        guard let relationship = names.relationship(pair.entity, pair.relationship) else {
          continue
        }
        try statement.bind(relationship.number, pair.first.key, pair.second.key)
        while try statement.step() { found[pair] = try pairRecord(statement.row, zones) }
      }
      return found
    }
  }

  /// Returns the ledger's rows of records, without unknown ones.
  package func subjects(of records: [RecordIdentifier]) throws -> [RecordIdentifier: LedgerRecord] {
    try read { connection in
      let zones = ZoneIdentifiers(connection)
      var numbers = ZoneNumbers(connection)
      var found: [RecordIdentifier: LedgerRecord] = [:]
      var object = try connection.prepare(RecordQueries.objectByName)
      var pair = try connection.prepare(RecordQueries.pairByName)
      for record in records {
        guard let zone = try numbers.present(record.zone) else { continue }
        let name = RecordName(record.recordName)
        try object.bind(zone, name)
        while try object.step() { found[record] = try objectRecord(object.row, zones) }
        guard found[record] == nil else { continue }
        try pair.bind(zone, name)
        while try pair.step() { found[record] = try pairRecord(pair.row, zones) }
      }
      return found
    }
  }

  /// Returns the tags of objects' records, without those that have none.
  package func tags(of records: [RecordIdentifier]) throws -> [RecordIdentifier: String] {
    try read { connection in
      var numbers = ZoneNumbers(connection)
      var found: [RecordIdentifier: String] = [:]
      var statement = try connection.prepare(Self.tagByName)
      for record in records {
        guard let zone = try numbers.present(record.zone) else { continue }
        try statement.bind(zone, RecordName(record.recordName))
        while try statement.step() { found[record] = statement.row.text(at: 0) }
      }
      return found
    }
  }

  static let tagByName = "SELECT tag FROM PHM_OBJECT WHERE zone = ?1 AND name = ?2"

  /// Whether any record of a zone is known to have been on the server.
  package func hasKnownRecords(in zone: RecordZoneIdentifier) throws -> Bool {
    try read { connection in
      var zones = ZoneNumbers(connection)
      guard let zone = try zones.present(zone) else { return false }
      return try ["PHM_OBJECT", "PHM_PAIR"].contains { table in
        try connection.value(
          "SELECT 1 FROM \(table) WHERE zone = ?1 AND tag IS NOT NULL LIMIT 1", [.integer(zone)])
          != nil
      }
    }
  }

  /// Returns the greatest tag of the records in a zone; nil if there is none.
  package func greatestTag(in zone: RecordZoneIdentifier) throws -> String? {
    try read { connection in
      var zones = ZoneNumbers(connection)
      guard let zone = try zones.present(zone),
        // Tags are numbers in base 36, so a longer tag is greater.
        case .text(let tag)? = try connection.value(
          "SELECT tag FROM (SELECT tag FROM PHM_OBJECT WHERE zone = ?1 UNION ALL SELECT tag "
            + "FROM PHM_PAIR WHERE zone = ?1) "
            + "WHERE tag IS NOT NULL ORDER BY length(tag) DESC, tag DESC LIMIT 1", [.integer(zone)])
      else { return nil }
      return tag
    }
  }

  /// Returns the objects with records in a zone, after one of them, in a repeatable order.
  ///
  /// - Parameter transaction: Objects that a later transaction inserted, and that were never sent,
  ///   are left out.
  package func objects(
    in zone: RecordZoneIdentifier, after last: RowKey?, through transaction: Int64 = .max,
    limit: Int
  ) throws -> [RowKey] {
    try read { connection in
      var zones = ZoneNumbers(connection)
      guard let zone = try zones.present(zone) else { return [] }
      var statement = try connection.prepare(
        "SELECT entity, key FROM PHM_OBJECT WHERE (entity, key) > (?1, ?2) AND zone = ?3 "
          + "AND NOT (pending IS 0 AND reach = 0 AND grp > ?5) ORDER BY entity, key LIMIT ?4")
      try statement.bind(
        last.flatMap { names.entity(Int($0.layoutIndex)) } ?? .min, last?.key ?? .min, zone, limit,
        transaction)
      var objects: [RowKey] = []
      while try statement.step() {
        guard let layout = names.layoutIndex(statement.row.int64(at: 0)) else { continue }
        objects.append(RowKey(key: statement.row.int64(at: 1), layoutIndex: layout))
      }
      return objects
    }
  }

  /// Returns the ledger's rows of pairs with records in a zone, after one of them, in a repeatable
  /// order.
  package func pairs(
    in zone: RecordZoneIdentifier, after last: PairPosition?, limit: Int
  ) throws -> (rows: [LedgerRecord], last: PairPosition?) {
    try read { connection in
      var numbers = ZoneNumbers(connection)
      guard let zone = try numbers.present(zone) else { return ([], nil) }
      let zones = ZoneIdentifiers(connection)
      var statement = try connection.prepare(RecordQueries.pairsInOrder)
      try statement.bind(
        last?.relationship ?? .min, last?.first ?? .min, last?.second ?? .min, zone, limit)
      var (rows, position): ([LedgerRecord], PairPosition?) = ([], nil)
      while try statement.step() {
        position = PairPosition(
          relationship: statement.row.int64(at: 0), first: statement.row.int64(at: 1),
          second: statement.row.int64(at: 2))
        if let row = try pairRecord(statement.row, zones) { rows.append(row) }
      }
      return (rows, position)
    }
  }

  /// Returns how far the latest change of an object has been sent.
  package func syncProgress(of object: RowKey) throws -> ObjectSyncState {
    guard let entity = names.entity(Int(object.layoutIndex)) else { return .unknown }
    return try read { connection in
      var statement = try connection.prepare(RecordQueries.place)
      try statement.bind(entity, object.key)
      guard try statement.step() else { return .unknown }
      let row = statement.row.optionalInt64(at: 0).flatMap { OutboxEntry.Kind(rawValue: Int($0)) }
      guard let kind = row else {
        let date = Date(timeIntervalSinceReferenceDate: statement.row.double(at: 4))
        return try syncProgress(ofPairsOf: object, on: connection) ?? .durable(date)
      }
      guard let sent = statement.row.optionalDouble(at: 1),
        statement.row.int64(at: 2) == statement.row.int64(at: 3)
      else { return .pending(kind) }
      return .sent(Date(timeIntervalSinceReferenceDate: sent))
    }
  }

  /// Returns how far an object's pending pairs have been sent; nil if none is pending.
  private func syncProgress(ofPairsOf object: RowKey, on connection: Connection) throws
    -> ObjectSyncState?
  {
    var sent: Double?
    for side in names.sides(Int(object.layoutIndex)) {
      for sql in side.relationship.isReflexive
        ? RecordQueries.pairPlaces : [RecordQueries.pairPlaces[side.isFirst ? 0 : 1]]
      {
        var statement = try connection.prepare(sql)
        try statement.bind(side.relationship.number, object.key)
        while try statement.step() {
          guard let date = statement.row.optionalDouble(at: 0),
            statement.row.int64(at: 1) == statement.row.int64(at: 2)
          else { return .pending(.update) }
          sent = max(sent ?? date, date)
        }
      }
    }
    return sent.map { .sent(Date(timeIntervalSinceReferenceDate: $0)) }
  }

  private func objectRecord(_ row: borrowing Row, _ zones: ZoneIdentifiers) throws
    -> LedgerRecord?
  {
    guard let layout = names.layoutIndex(row.int64(at: 0)),
      let identifier = try identifier(row, at: 2, zones)
    else { return nil }
    let pending = row.optionalInt64(at: 6).flatMap { OutboxEntry.Kind(rawValue: Int($0)) }
    let changed = PropertyMask(row, at: 7)
    return LedgerRecord(
      subject: .object(RowKey(key: row.int64(at: 1), layoutIndex: layout)), identifier: identifier,
      tag: row.text(at: 4), systemFields: row.blob(at: 5), pending: pending,
      changed: names.ordinals(changed, Int(layout)),
      isChangeUnknown: pending == .update && changed == .all,
      unanswered: names.ordinals(PropertyMask(row, at: 11), Int(layout)),
      earlier: row.int64(at: 17) == 0
        ? nil : names.ordinals(PropertyMask(row, at: 18), Int(layout)),
      isLost: row.int64(at: 16) != 0,
      digests: PropertyDigests(row.blob(at: 15) ?? []).byOrdinal(names, Int(layout)),
      moves: row.int64(at: 22), isSent: row.int64(at: 23) != 0)
  }

  private func pairRecord(_ row: borrowing Row, _ zones: ZoneIdentifiers) throws
    -> LedgerRecord?
  {
    guard let pair = names.pair(row), let identifier = try identifier(row, at: 5, zones) else {
      return nil
    }
    return LedgerRecord(
      subject: .pair(pair), identifier: identifier, tag: row.text(at: 7),
      systemFields: row.blob(at: 8),
      pending: row.optionalInt64(at: 9).flatMap { OutboxEntry.Kind(rawValue: Int($0)) },
      changed: OrdinalSet(),
      isChangeUnknown: false, unanswered: OrdinalSet(), earlier: nil, isLost: false, digests: [:],
      moves: row.int64(at: 10), isSent: row.int64(at: 11) != 0)
  }

  private func identifier(
    _ row: borrowing Row, at column: Int, _ zones: ZoneIdentifiers
  ) throws -> RecordIdentifier? {
    guard let zone = try zones[row.int64(at: column)], let name = RecordName(row, at: column + 1)
    else { return nil }
    return RecordIdentifier(recordName: name.text, zone: zone)
  }
}

/// A position among the ledger's pairs.
package struct PairPosition: Sendable {
  package let relationship: Int64
  package let first: Int64
  package let second: Int64
}
