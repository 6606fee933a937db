package import CloudRecords
import ManagedObjectModel
package import MirrorModel
package import ObjectRows
import SQLiteDriver
import SQLiteStore

/// The zones of shares, and the objects in them, in the ledger.
package struct SharedZones: Sendable {
  private let ledger: Ledger

  fileprivate init(_ ledger: Ledger) { self.ledger = ledger }

  private var names: LedgerNames { ledger.names }
  private var store: SQLiteRowStore { ledger.store }
  private var homeZone: Int64 { ledger.recorder.homeZone }

  /// A zone that the ledger knows.
  package struct Zone: Sendable {
    package let identifier: RecordZoneIdentifier
    /// The archived share; nil if the zone has none.
    package let share: [UInt8]?
    package let isReadOnly: Bool
  }

  /// The zones of shares, in the order of their names.
  package func all() throws -> [Zone] { try zones("", []) }

  /// The identifiers of the zones of shares, in the order of their names.
  package func identifiers() throws -> [RecordZoneIdentifier] {
    try ledger.read { connection in
      var zones: [RecordZoneIdentifier] = []
      var statement = try connection.prepare(
        "SELECT owner, name FROM PHM_ZONE WHERE number <> ?1 ORDER BY name, owner")
      try statement.bind(homeZone, at: 1)
      while try statement.step() {
        zones.append(
          RecordZoneIdentifier(
            zoneName: statement.row.text(at: 1) ?? "", ownerName: statement.row.text(at: 0) ?? ""))
      }
      return zones
    }
  }

  /// Returns the zones whose shares have ended or have not arrived.
  package func withoutShare() throws -> [Zone] { try zones(" AND share IS NULL", []) }

  /// A zone; nil if the ledger does not know it, or if it is the home zone.
  package func zone(_ zone: RecordZoneIdentifier) throws -> Zone? {
    try zones(" AND owner = ?2 AND name = ?3", [.text(zone.ownerName), .text(zone.zoneName)]).first
  }

  private func zones(_ condition: String, _ values: [Value]) throws -> [Zone] {
    try ledger.read { connection in
      var zones: [Zone] = []
      var statement = try connection.prepare(
        "SELECT owner, name, share, readonly FROM PHM_ZONE WHERE number <> ?1\(condition) "
          + "ORDER BY name, owner")
      try statement.bind([.integer(homeZone)] + values)
      while try statement.step() {
        zones.append(
          Zone(
            identifier: RecordZoneIdentifier(
              zoneName: statement.row.text(at: 1) ?? "",
              ownerName: statement.row.text(at: 0) ?? ""),
            share: statement.row.blob(at: 2), isReadOnly: statement.row.int64(at: 3) != 0))
      }
      return zones
    }
  }

  /// Whether records may be in zones other than the home zone.
  ///
  /// The ledger knows a zone only after its first page, which may refer to objects in other zones.
  private func concernsShares(_ records: [RecordIdentifier]) throws -> Bool {
    let home = ledger.options.homeZone
    return try records.contains { $0.zone != home } || isAny()
  }

  /// Whether the store has zones other than its home zone.
  package func isAny() throws -> Bool { try ledger.store.pool.read { try isAny(on: $0) } }

  private func isAny(on connection: Connection) throws -> Bool {
    try connection.number(Self.anyOther, [.integer(homeZone)]) != nil
  }

  static let anyOther = "SELECT 1 FROM PHM_ZONE WHERE number <> ?1 LIMIT 1"

  /// Records the share of a zone; nil if it has none.
  package func set(_ share: [UInt8]?, isReadOnly: Bool, of zone: RecordZoneIdentifier) throws {
    try ledger.write { connection in
      var zones = ZoneNumbers(connection)
      try connection.run(
        "UPDATE PHM_ZONE SET share = ?2, readonly = ?3 WHERE number = ?1",
        [
          .integer(try zones.number(of: zone)), share.map(Value.blob) ?? .null,
          .integer(isReadOnly ? 1 : 0),
        ])
    }
  }

  /// The objects in zones that the user may only read.
  package func readOnlyObjects() throws -> Set<RowKey> {
    try ledger.read { connection in
      var found: Set<RowKey> = []
      var statement = try connection.prepare(
        "SELECT entity, key FROM PHM_OBJECT WHERE zone IN "
          + "(SELECT number FROM PHM_ZONE WHERE readonly)")
      while try statement.step() {
        guard let layout = names.layoutIndex(statement.row.int64(at: 0)) else { continue }
        found.insert(RowKey(key: statement.row.int64(at: 1), layoutIndex: layout))
      }
      return found
    }
  }

  /// Finds the objects that sharing the given ones would share or concern, without a lock.
  package func reach(of objects: [RowKey], within limit: SharingLimit = SharingLimit()) throws
    -> SharingReach
  {
    try ledger.read { connection in
      try ObjectGraph(store, names, connection).reach(
        of: objects, within: limit, try ZoneCache(names, homeZone: homeZone, connection))
    }
  }

  /// Begins to move objects, and all objects that can be reached from them, to a zone.
  ///
  /// `finishMoves` continues, in this process or a later one. The caller has checked the reachable
  /// objects (`reach(of:within:)`). Objects that saves relate to them after the check also move.
  ///
  /// - Parameters:
  ///   - allowsMembers: Whether objects may be in the zone already.
  ///   - count: The greatest number of objects that move at once.
  /// - Returns: The objects that moved.
  /// - Throws: `SharingError` if an object is in another share, or here without `allowsMembers`.
  @discardableResult
  package func beginSharing(
    _ objects: [RowKey], in zone: RecordZoneIdentifier, allowsMembers: Bool = false,
    atOnce count: Int = LedgerLimits.movesInTransaction
  ) throws -> [RowKey] {
    try ledger.write { connection in
      try ledger.recorder.catchUp(with: store, on: connection)
      var zones = ZoneNumbers(connection)
      let number = try zones.number(of: zone)
      let met = try ZoneCache(names, homeZone: homeZone, connection)
      for object in objects {
        guard let present = try met.presentZone(of: object), present != homeZone,
          present != number || !allowsMembers
        else { continue }
        throw SharingError.isShared(object, in: try met.identifier(present))
      }
      let frontier = MoveFrontier(names, connection)
      try frontier.add(objects, in: number, areGiven: true)
      var cursor: MoveFrontier.Cursor?
      return try advance(frontier, &cursor, limit: count, on: connection)
    }
  }

  /// Finishes large moves, in transactions of bounded length.
  ///
  /// - Returns: The objects that moved.
  @discardableResult
  package func finishMoves() throws -> [RowKey] {
    var moved: [RowKey] = []
    var cursor: MoveFrontier.Cursor?
    while let part = try move(LedgerLimits.movesInTransaction, &cursor) { moved += part }
    return moved
  }

  /// Moves some of the remaining objects of large moves, in a transaction; nil if none remain.
  package func moveNext(_ limit: Int) throws -> [RowKey]? {
    var cursor: MoveFrontier.Cursor?
    return try move(limit, &cursor)
  }

  private func move(_ limit: Int, _ cursor: inout MoveFrontier.Cursor?) throws -> [RowKey]? {
    guard try !store.pool.read({ try MoveFrontier(names, $0).isEmpty }) else { return nil }
    return try ledger.write { connection in
      try ledger.recorder.catchUp(with: store, on: connection)
      return try advance(
        MoveFrontier(names, connection), &cursor, limit: limit, on: connection)
    }
  }

  private func advance(
    _ frontier: MoveFrontier, _ cursor: inout MoveFrontier.Cursor?, limit: Int,
    on connection: Connection
  ) throws -> [RowKey] {
    try connection.recordFilling()
    return try frontier.advance(
      &cursor, homeZone: homeZone, limit: limit, moves(on: connection), in: store)
  }

  /// Returns moves whose entries come before those of saves.
  private func moves(on connection: Connection) -> ZoneMoves {
    ZoneMoves(names, connection) { OutboxGroup.of(entity: $0, key: $1) }
  }

  /// Moves objects of a zone back to the home zone, in transactions of bounded length.
  ///
  /// The zone no longer has a share, so saves in between treat its objects as objects of the home
  /// zone.
  ///
  /// - Parameter unsent: Whether to move only objects that the server does not have in the zone.
  package func moveHome(from zone: RecordZoneIdentifier, unsent: Bool = false) throws {
    var (last, isFirst) = ((entity: Int64.min, key: Int64.min), true)
    while true {
      let count = try ledger.write { connection -> Int in
        var zones = ZoneNumbers(connection)
        guard let number = try zones.present(zone), number != homeZone else { return 0 }
        if isFirst {
          try connection.run("UPDATE PHM_ZONE SET share = NULL WHERE number = ?1", number)
          try MoveFrontier.drop(number, on: connection)
          isFirst = false
        }
        var objects: [RowKey] = []
        var statement = try connection.prepare(
          "SELECT entity, key FROM PHM_OBJECT WHERE zone = ?1 AND pending IS NOT 2"
            + (unsent ? " AND tag IS NULL" : "")
            + " AND (entity, key) > (?2, ?3) ORDER BY entity, key LIMIT ?4")
        try statement.bind(number, last.entity, last.key, LedgerLimits.movesInTransaction)
        var count = 0
        while try statement.step() {
          last = (statement.row.int64(at: 0), statement.row.int64(at: 1))
          count += 1
          guard let layout = names.layoutIndex(last.entity) else { continue }
          objects.append(RowKey(key: last.key, layoutIndex: layout))
        }
        guard count > 0 else { return 0 }
        try connection.recordFilling()
        try moves(on: connection).move(objects, to: homeZone)
        // Other devices may have related some of them to objects of another share.
        let assignment = try ZoneAssignment(
          store, names, homeZone: homeZone, group: try connection.noted(), leaving: number,
          on: connection)
        try assignment?.joinAll(objects)
        return count
      }
      guard count == LedgerLimits.movesInTransaction else { return }
    }
  }

  /// Drops everything about a zone that its owner has deleted, without sending anything.
  package func forget(_ zone: RecordZoneIdentifier) throws {
    try ledger.write { connection in
      var zones = ZoneNumbers(connection)
      guard let number = try zones.present(zone) else { return }
      try connection.setToken(nil, ofZone: number)
      for table in ["PHM_OBJECT", "PHM_PAIR", "PHM_DEFERRED", "PHM_DUPLICATE"] {
        try connection.run("DELETE FROM \(table) WHERE zone = ?1", number)
      }
    }
  }

  /// Drops a zone that has no objects any more, with its state.
  package func drop(_ zone: RecordZoneIdentifier) throws {
    try forget(zone)
    try ledger.write { connection in
      try connection.run(
        "DELETE FROM PHM_STATE WHERE substr(name, -length(?1)) = ?1",
        [.text("/\(zone.ownerName)/\(zone.zoneName)")])
      try connection.run(
        "DELETE FROM PHM_ZONE WHERE owner = ?1 AND name = ?2 AND number <> ?3",
        [.text(zone.ownerName), .text(zone.zoneName), .integer(homeZone)])
    }
  }

  /// Whether zones may exchange records: they have one owner, or one of them is the home zone.
  ///
  /// Otherwise a person who knows a record's name could take over its object with a share.
  package func areRelated(_ one: RecordZoneIdentifier, _ other: RecordZoneIdentifier) -> Bool {
    one.ownerName == other.ownerName || [one, other].contains(ledger.options.homeZone)
  }

  /// Returns the rows in related zones whose records have the given names, by the given record.
  ///
  /// Only names that are UUIDs count, because they are unique.
  package func subjectsElsewhere(of records: [RecordIdentifier]) throws -> [RecordIdentifier:
    LedgerRecord]
  {
    guard try !records.isEmpty && concernsShares(records) else { return [:] }
    let places = try ledger.read { connection in
      let zones = ZoneIdentifiers(connection)
      var places: [(asked: RecordIdentifier, found: RecordIdentifier)] = []
      var statement = try connection.prepare(
        "SELECT zone FROM PHM_OBJECT WHERE name = ?1 UNION ALL "
          + "SELECT zone FROM PHM_PAIR WHERE name = ?1")
      for record in records {
        let name = RecordName(record.recordName)
        guard case .uuid = name else { continue }
        try statement.bind(name)
        while try statement.step() {
          guard let zone = try zones[statement.row.int64(at: 0)], zone != record.zone,
            areRelated(zone, record.zone)
          else { continue }
          places.append((record, RecordIdentifier(recordName: record.recordName, zone: zone)))
        }
      }
      return places
    }
    let rows = try ledger.subjects(of: places.map(\.found))
    return Dictionary(
      places.compactMap { place in rows[place.found].map { (place.asked, $0) } },
      uniquingKeysWith: { first, _ in first })
  }

  /// Returns the entries whose records are still in the zones in which they were read.
  func unmoved(_ entries: [OutboxEntry], on connection: Connection) throws -> [OutboxEntry] {
    guard let records = try unmovedRecords(entries, on: connection) else { return entries }
    return entries.filter { records.contains($0.record) }
  }

  /// Returns the records that are still in the zones of their entries; nil if none can have moved.
  func unmovedRecords(_ entries: [OutboxEntry], on connection: Connection) throws -> Set<
    RecordIdentifier
  >? {
    guard try isAny(on: connection) else { return nil }
    var numbers = ZoneNumbers(connection)
    var records: Set<RecordIdentifier> = []
    for entry in entries {
      let place = try zone(of: entry.subject, on: connection)
      // An entry that was dropped meanwhile has not moved.
      if try place == nil || place == numbers.present(entry.record.zone) {
        records.insert(entry.record)
      }
    }
    return records
  }

  private func zone(of subject: OutboxEntry.Subject, on connection: Connection) throws -> Int64? {
    switch subject {
    case .object(let key):
      guard let entity = names.entity(Int(key.layoutIndex)) else { return nil }
      return try connection.number(
        "SELECT zone FROM PHM_OBJECT WHERE entity = ?1 AND key = ?2",
        [.integer(entity), .integer(key.key)])
    case .pair(let pair):
      guard let relationship = names.relationship(pair.entity, pair.relationship) else {
        return nil
      }
      return try connection.number(
        "SELECT zone FROM PHM_PAIR WHERE relationship = ?1 AND first = ?2 AND second = ?3",
        [.integer(relationship.number), .integer(pair.first.key), .integer(pair.second.key)])
    }
  }

  /// Returns the items that wait for records, including those that expect them in related zones.
  package func deferred(
    _ kinds: [DeferredItem.Kind], dependingOn records: [RecordIdentifier]
  ) throws -> [DeferredItem] {
    let hasShares = try concernsShares(records)
    let items = try ledger.deferred {
      try $0.items(kinds, dependingOn: records, anywhere: hasShares)
    }
    guard hasShares, !items.isEmpty else { return items }
    let named = Dictionary(grouping: records, by: \.recordName)
    return items.filter { item in
      named[item.dependency ?? "", default: []].contains { record in
        item.zone.map { areRelated($0, record.zone) } ?? false
      }
    }
  }

  /// Returns the record with a name, in the zone that has it; in the home zone if none has.
  package func record(named name: String) throws -> RecordIdentifier {
    let record = RecordIdentifier(recordName: name, zone: ledger.options.homeZone)
    guard try isAny(), try ledger.subjects(of: [record]).isEmpty else { return record }
    return try subjectsElsewhere(of: [record])[record]?.identifier ?? record
  }

  /// Returns the rows of records, which may be in related zones by now.
  package func subjectsAnywhere(of records: [RecordIdentifier]) throws -> [RecordIdentifier:
    LedgerRecord]
  {
    let present = try ledger.subjects(of: records)
    return try subjectsElsewhere(of: records.filter { present[$0] == nil })
      .merging(present) { $1 }
  }

  /// A page of the former records of moved objects and pairs.
  package struct FormerPage: Sendable {
    /// The records that the server no longer needs: it has the new ones, or the objects are gone.
    package let left: [DeferredItem]
    /// The records of objects that came back before the record was deleted.
    package let returned: [DeferredItem]
    /// The item after which the next page begins; nil if there is none.
    package let last: DeferredItem?
  }

  /// Whether a zone has former records.
  package func hasFormers(in zone: RecordZoneIdentifier) throws -> Bool {
    try ledger.read { connection in
      var zones = ZoneNumbers(connection)
      guard let number = try zones.present(zone) else { return false }
      return try connection.number(
        "SELECT 1 FROM PHM_DEFERRED WHERE kind = ?1 AND entity = 0 AND key = 0 AND zone = ?2 "
          + "LIMIT 1", [.integer(Int64(DeferredItem.Kind.former.rawValue)), .integer(number)])
        != nil
    }
  }

  /// A page of former records, after an item.
  package func formers(after last: DeferredItem?, limit: Int) throws -> FormerPage {
    let all = try ledger.deferred(.former, after: last, limit: limit)
    let here = try ledger.subjects(of: all.compactMap(\.record))
    let elsewhere = try subjectsElsewhere(of: all.compactMap(\.record))
    let decided = Dictionary(grouping: all) { item in
      FormerRecordDecision(
        here: FormerRecordDecision.Knowledge(item.record.flatMap { here[$0] }),
        elsewhere: FormerRecordDecision.Knowledge(item.record.flatMap { elsewhere[$0] }))
    }
    return FormerPage(
      left: decided[.delete] ?? [], returned: decided[.stands] ?? [],
      last: all.count < limit ? nil : all.last)
  }
}

extension FormerRecordDecision.Knowledge {
  fileprivate init(_ row: LedgerRecord?) {
    guard let row else {
      self = .none
      return
    }
    let isWaiting = row.pending == .insertion || row.pending == .update
    self = row.tag == nil || isWaiting ? .unsaved : .saved
  }
}

extension Ledger {
  /// The zones of shares.
  package var sharedZones: SharedZones { SharedZones(self) }
}

extension DeferredItem {
  /// Creates the item of a record that an object left, with its last known version.
  package static func former(
    _ record: RecordIdentifier, tag: String?, _ digests: [Int: UInt64], of object: RowKey?,
    _ ledger: Ledger
  ) -> DeferredItem {
    let bytes = object.map { PropertyDigests(digests, ledger.names, Int($0.layoutIndex)).value }
    let payload: [UInt8]? = if case .blob(let bytes)? = bytes { bytes } else { nil }
    return DeferredItem(.former, .record(record), reason: tag, payload: payload)
  }

  /// The digests of the properties of a former record, by ordinal of a layout.
  package func digests(_ ledger: Ledger, of object: RowKey) -> [Int: UInt64] {
    payload.map { PropertyDigests($0).byOrdinal(ledger.names, Int(object.layoutIndex)) } ?? [:]
  }
}
