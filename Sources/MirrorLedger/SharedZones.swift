package import CloudRecords
import ManagedObjectModel
package import MirrorModel
package import ObjectRows
import SQLiteDriver
import SQLiteStore

/// Zones of shares, and the objects in them, as the ledger knows them.
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
  package func all() throws -> [Zone] {
    try ledger.read { connection in
      var zones: [Zone] = []
      var statement = try connection.prepare(
        "SELECT owner, name, share, readonly FROM PHM_ZONE WHERE number <> ?1 ORDER BY name, owner")
      try statement.bind(homeZone, at: 1)
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

  /// Whether the store has zones besides its home zone.
  package func isAny() throws -> Bool {
    try ledger.read { connection in
      try connection.number(
        "SELECT 1 FROM PHM_ZONE WHERE number <> ?1 LIMIT 1", [.integer(homeZone)]) != nil
    }
  }

  /// Notes the share of a zone, or that it has none.
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

  /// The objects that sharing some objects concerns: these, and all that can be reached from them.
  package func reachable(from objects: [RowKey]) throws -> [RowKey] {
    try ledger.read { try ObjectGraph(store, names, $0).reachable(from: objects) }
  }

  /// An object and a relationship by which another one is reached from it.
  package struct Step: Sendable {
    package let object: RowKey
    /// The object before it, and the relationship that leads from there; nil for a given one.
    package let from: (object: RowKey, relationship: String)?
  }

  /// The same objects, each with a way to it.
  package func ways(from objects: [RowKey]) throws -> [Step] {
    try ledger.read { connection in
      let graph = ObjectGraph(store, names, connection)
      var steps = objects.map { Step(object: $0, from: nil) }
      var known = Set(objects)
      var next = 0
      while next < steps.count {
        let object = steps[next].object
        next += 1
        let layout = store.schema.layouts[object.layoutIndex]
        for ordinal in layout.properties.indices {
          for other in try graph.neighbours(of: object, along: ordinal)
          where known.insert(other).inserted {
            steps.append(Step(object: other, from: (object, layout.properties[ordinal].name)))
          }
        }
      }
      return steps
    }
  }

  /// Moves objects and all that can be reached from them to a zone, in one transaction.
  ///
  /// - Parameter allowsMembers: Whether objects may be in the zone already.
  /// - Returns: The objects of the zone that were given or reached.
  /// - Throws: `SharingError` if one of them is in another share.
  package func share(
    _ objects: [RowKey], in zone: RecordZoneIdentifier, allowsMembers: Bool
  ) throws -> [RowKey] {
    try ledger.write { connection in
      try ledger.recorder.catchUp(with: store, on: connection)
      let all = try ObjectGraph(store, names, connection).reachable(from: objects)
      var zones = ZoneNumbers(connection)
      let number = try zones.number(of: zone)
      let known = try connection.zones()
      for object in all {
        guard let entity = names.entity(Int(object.layoutIndex)),
          let present = try connection.number(
            "SELECT zone FROM PHM_OBJECT WHERE entity = ?1 AND key = ?2",
            [.integer(entity), .integer(object.key)]),
          present != homeZone, present != number || !allowsMembers
        else { continue }
        throw SharingError.isShared(object, in: known[present] ?? zone)
      }
      try connection.recordFilling()
      _ = try ZoneMoves(names, connection, ledger.options.seam).move(all, to: number) {
        entity, object in
        OutboxGroup.of(entity: entity, key: object.key)
      }
      return all
    }
  }

  /// Moves objects of a zone back to the home zone, in one transaction.
  ///
  /// - Parameter unsent: Whether only those move that the server does not have in the zone.
  package func moveHome(from zone: RecordZoneIdentifier, unsent: Bool = false) throws {
    try ledger.write { connection in
      var zones = ZoneNumbers(connection)
      guard let number = try zones.present(zone), number != homeZone else { return }
      var objects: [RowKey] = []
      var statement = try connection.prepare(
        "SELECT entity, key FROM PHM_OBJECT WHERE zone = ?1 AND pending IS NOT 2"
          + (unsent ? " AND tag IS NULL" : ""))
      try statement.bind(number, at: 1)
      while try statement.step() {
        guard let layout = names.layoutIndex(statement.row.int64(at: 0)) else { continue }
        objects.append(RowKey(key: statement.row.int64(at: 1), layoutIndex: layout))
      }
      try connection.recordFilling()
      _ = try ZoneMoves(names, connection, ledger.options.seam).move(objects, to: homeZone) {
        entity, object in
        OutboxGroup.of(entity: entity, key: object.key)
      }
      // Others may have related some of them to objects of another share.
      let group = try connection.noted()
      let assignment = try ZoneAssignment(
        store, names, homeZone: homeZone, group: group, leaving: number,
        seam: ledger.options.seam, on: connection)
      try assignment?.joinAll(objects)
    }
  }

  /// Forgets everything about a zone, and sends nothing of it: its owner has deleted it.
  package func forget(_ zone: RecordZoneIdentifier) throws {
    try ledger.write { connection in
      var zones = ZoneNumbers(connection)
      guard let number = try zones.present(zone) else { return }
      try connection.setToken(nil, ofZone: number)
      for table in [
        "PHM_OBJECT", "PHM_PAIR", "PHM_DEFERRED", "PHM_DUPLICATE",
      ] {
        try connection.run("DELETE FROM \(table) WHERE zone = ?1", number)
      }
    }
  }

  /// Forgets a zone that has no objects any more.
  package func drop(_ zone: RecordZoneIdentifier) throws {
    try forget(zone)
    try ledger.write { connection in
      try connection.run(
        "DELETE FROM PHM_ZONE WHERE owner = ?1 AND name = ?2 AND number <> ?3",
        [.text(zone.ownerName), .text(zone.zoneName), .integer(homeZone)])
    }
  }

  /// Rows that have some names in other zones than those that are asked for, by what is asked.
  ///
  /// Only names that are UUIDs count, which are given once.
  package func subjectsElsewhere(of records: [RecordIdentifier]) throws -> [RecordIdentifier:
    LedgerRecord]
  {
    guard try !records.isEmpty && isAny() else { return [:] }
    let places = try ledger.read { connection in
      let zones = try connection.zones()
      var places: [(asked: RecordIdentifier, found: RecordIdentifier)] = []
      var statement = try connection.prepare(
        "SELECT zone FROM PHM_OBJECT WHERE name = ?1 UNION ALL "
          + "SELECT zone FROM PHM_PAIR WHERE name = ?1")
      for record in records {
        let name = RecordName(record.recordName)
        guard case .uuid = name else { continue }
        try statement.bind(name, at: 1)
        while try statement.step() {
          guard let zone = zones[statement.row.int64(at: 0)], zone != record.zone else { continue }
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

  /// The entries whose records are still in the zones in which they were read.
  func unmoved(_ entries: [OutboxEntry], on connection: Connection) throws -> [OutboxEntry] {
    guard let records = try unmovedRecords(entries, on: connection) else { return entries }
    return entries.filter { records.contains($0.record) }
  }

  /// The same as records; nil if none can have moved.
  func unmovedRecords(_ entries: [OutboxEntry], on connection: Connection) throws -> Set<
    RecordIdentifier
  >? {
    guard
      try connection.number(
        "SELECT 1 FROM PHM_ZONE WHERE number <> ?1 LIMIT 1", [.integer(homeZone)]) != nil
    else { return nil }
    var numbers = ZoneNumbers(connection)
    var records: Set<RecordIdentifier> = []
    for entry in entries {
      let place = try zone(of: entry.subject, on: connection)
      // An entry that was forgotten meanwhile has not moved.
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

  /// The items that wait for records, in whatever zone they expect them.
  package func deferred(
    _ kinds: [DeferredItem.Kind], dependingOn records: [RecordIdentifier]
  ) throws -> [DeferredItem] {
    let hasShares = try isAny()
    return try ledger.read {
      try DeferredTable(names, $0).items(kinds, dependingOn: records, anywhere: hasShares)
    }
  }

  /// The record of a name, in the zone that has it; in the home zone if none has.
  package func record(named name: String) throws -> RecordIdentifier {
    let record = RecordIdentifier(recordName: name, zone: ledger.options.homeZone)
    guard try isAny(), try ledger.subjects(of: [record]).isEmpty else { return record }
    return try subjectsElsewhere(of: [record])[record]?.identifier ?? record
  }

  /// Rows of records, in whatever zone they are by now.
  package func subjectsAnywhere(of records: [RecordIdentifier]) throws -> [RecordIdentifier:
    LedgerRecord]
  {
    let present = try ledger.subjects(of: records)
    return try subjectsElsewhere(of: records.filter { present[$0] == nil })
      .merging(present) { $1 }
  }

  /// The former records of moved objects and pairs that the server need not have any more: it has
  /// the new ones, or they are gone.
  ///
  /// Of an object that came back to a zone before its record there was deleted, the record stays.
  ///
  /// - Returns: The former records to delete, and those that stand for their objects again.
  package func deletableFormers() throws -> (left: [DeferredItem], returned: [DeferredItem]) {
    let all = try ledger.deferred(.former)
    let here = try ledger.subjects(of: all.compactMap(\.record))
    let elsewhere = try subjectsElsewhere(of: all.compactMap(\.record))
    let decided = Dictionary(grouping: all) { item in
      FormerRecordDecision(
        here: FormerRecordDecision.Knowledge(item.record.flatMap { here[$0] }),
        elsewhere: FormerRecordDecision.Knowledge(item.record.flatMap { elsewhere[$0] }))
    }
    let early = ledger.options.seam?.formersWait == false ? decided[.wait] ?? [] : []
    return ((decided[.delete] ?? []) + early, decided[.stands] ?? [])
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
  /// The record that an object left behind, with the version that is known of it.
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
