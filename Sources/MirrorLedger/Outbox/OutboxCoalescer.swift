import CloudRecords
import Foundation
import ObjectRows
package import SQLiteDriver
import SQLiteStore

/// Coalesces changes into the outbox, in an open transaction: one row for each object.
///
/// | pending | inserted | updated | deleted |
/// |---|---|---|---|
/// | nothing, unknown object | insertion | insertion | nothing |
/// | nothing | update of everything | update | deletion |
/// | insertion, never sent | insertion | insertion | dropped |
/// | insertion, sent at least once | update of everything | insertion | deletion |
/// | update | update of everything | update of both | deletion |
/// | deletion | update of everything | update | deletion |
struct OutboxCoalescer {
  package let names: LedgerNames
  /// The number of the zone of new records.
  package let homeZone: Int64
  package let connection: Connection
  private var sequence: RecordNameSequence

  init(
    _ names: LedgerNames, homeZone: Int64, makeUUID: @escaping () -> UUID, on connection: Connection
  ) {
    self.names = names
    self.homeZone = homeZone
    self.connection = connection
    sequence = RecordNameSequence(makeUUID: makeUUID)
  }

  /// Returns the next record name.
  mutating func nextName() -> RecordName { sequence.next() }

  /// Coalesces a whole save.
  mutating func coalesce(_ changes: StoreChanges, group: Int64) throws {
    try unite(changes, into: group)
    try insert(changes.inserted, group: group)
    try update(changes.updated, group: group)
    for row in changes.deleted {
      try delete(RowKey(key: row.key, layoutIndex: Int32(row.layout.index)), group: group)
    }
    for change in changes.memberships { try coalesce(change, group: group) }
  }

  // MARK: Objects

  package static let insertion =
    "INSERT INTO PHM_OBJECT(entity, key, zone, name, pending, grp, stamp) VALUES(?1, ?2, ?3, "
    + "?4, 0, ?5, 1) "
    + "ON CONFLICT(entity, key) DO UPDATE SET pending = (reach > 0), m0 = -1, m1 = -1, m2 = "
    + "-1, m3 = -1, "
    + "e0 = e0 & 0, e1 = e1 & 0, e2 = e2 & 0, e3 = e3 & 0, "
    + "grp = excluded.grp, stamp = stamp + 1"

  package static let update =
    "INSERT INTO PHM_OBJECT(entity, key, zone, name, pending, grp, stamp, m0, m1, m2, m3) "
    + "VALUES(?1, ?2, ?3, ?4, 0, ?5, 1, ?6, ?7, ?8, ?9) "
    + "ON CONFLICT(entity, key) DO UPDATE SET pending = CASE pending WHEN 0 THEN 0 ELSE 1 END, "
    + "m0 = m0 | excluded.m0, m1 = m1 | excluded.m1, m2 = m2 | excluded.m2, m3 = m3 | excluded.m3, "
    + "e0 = e0 & ~excluded.m0, e1 = e1 & ~excluded.m1, e2 = e2 & ~excluded.m2, e3 = e3 & "
    + "~excluded.m3, "
    + "grp = excluded.grp, stamp = stamp + 1"

  package static let forgetting =
    "DELETE FROM PHM_OBJECT WHERE entity = ?1 AND key = ?2 AND reach = 0"

  package static let deletion =
    "UPDATE PHM_OBJECT SET pending = 2, grp = ?3, stamp = stamp + 1, m0 = 0, m1 = 0, m2 = 0, "
    + "m3 = 0, "
    + "s0 = 0, s1 = 0, s2 = 0, s3 = 0, e0 = NULL, e1 = NULL, e2 = NULL, e3 = NULL "
    + "WHERE entity = ?1 AND key = ?2 AND pending IS NOT 2"

  private mutating func insert(_ rows: ContiguousArray<RowChange>, group: Int64) throws {
    guard !rows.isEmpty else { return }
    var statement = try connection.prepare(Self.insertion)
    try statement.bind(homeZone, at: 3)
    try statement.bind(group, at: 5)
    for index in rows.indices {
      guard let entity = names.entity(rows[index].layout.index) else { continue }
      try statement.bind(entity, rows[index].row.key)
      try statement.bind(sequence.next(), at: 4)
      try statement.run()
    }
  }

  private mutating func update(_ rows: ContiguousArray<RowChange>, group: Int64) throws {
    guard !rows.isEmpty else { return }
    try dropDeferred(rows)
    var statement = try connection.prepare(Self.update)
    try statement.bind(homeZone, at: 3)
    try statement.bind(group, at: 5)
    var last: (layoutIndex: Int, changed: OrdinalSet, mask: PropertyMask?) = (-1, OrdinalSet(), nil)
    for index in rows.indices {
      let (layoutIndex, changed) = (rows[index].layout.index, rows[index].changed)
      if last.layoutIndex != layoutIndex || last.changed != changed {
        last = (
          layoutIndex, changed,
          names.entity(layoutIndex).flatMap { _ in names.mask(changed, layoutIndex) }
        )
        if let mask = last.mask { try statement.bind(mask, at: 6) }
      }
      guard last.mask != nil, let entity = names.entity(layoutIndex) else { continue }
      try statement.bind(entity, rows[index].row.key)
      try statement.bind(sequence.next(), at: 4)
      try statement.run()
    }
  }

  /// Coalesces the insertion of one object from the history.
  package mutating func insert(_ object: RowKey, group: Int64) throws {
    guard let entity = names.entity(Int(object.layoutIndex)) else { return }
    var statement = try connection.prepare(Self.insertion)
    try bind(object, entity, group, to: &statement)
    try statement.run()
  }

  /// Coalesces the update of one object from the history.
  package mutating func update(_ object: RowKey, _ changed: OrdinalSet, group: Int64) throws {
    if try !deferred.isEmpty { try dropDeferred(object, changed) }
    try enqueueUnchanged(object, changed, group: group)
  }

  /// Enqueues properties of an object, though they did not change.
  mutating func enqueueUnchanged(_ object: RowKey, _ changed: OrdinalSet, group: Int64) throws {
    guard let entity = names.entity(Int(object.layoutIndex)),
      let mask = names.mask(changed, Int(object.layoutIndex))
    else { return }
    var statement = try connection.prepare(Self.update)
    try bind(object, entity, group, to: &statement)
    try statement.bind(mask, at: 6)
    try statement.run()
  }

  private mutating func bind(
    _ object: RowKey, _ entity: Int64, _ group: Int64, to statement: inout Statement
  ) throws(SQLiteError) {
    try statement.bind(entity, object.key, homeZone, sequence.next(), group)
  }

  /// Coalesces the deletion of an object and its pairs.
  package mutating func delete(_ object: RowKey, group: Int64) throws {
    guard let entity = names.entity(Int(object.layoutIndex)) else { return }
    try connection.run(Self.forgetting, entity, object.key)
    if connection.changes == 0 { try connection.run(Self.deletion, entity, object.key, group) }
    try connection.run(DeferredTable.removingObject, entity, object.key)
    for side in names.sides(Int(object.layoutIndex)) {
      try deletePairs(of: object.key, side.relationship, isFirst: side.isFirst, group: group)
      if side.relationship.isReflexive {
        try deletePairs(of: object.key, side.relationship, isFirst: false, group: group)
      }
    }
  }

  // MARK: Deferred items

  private var deferred: DeferredTable { DeferredTable(names, connection) }

  /// Drops the deferred items of properties that a save sets.
  private func dropDeferred(_ rows: ContiguousArray<RowChange>) throws {
    guard try !deferred.isEmpty else { return }
    for row in rows {
      try dropDeferred(
        RowKey(key: row.row.key, layoutIndex: Int32(row.layout.index)), row.changed)
    }
  }

  private func dropDeferred(_ object: RowKey, _ changed: OrdinalSet) throws {
    let index = Int(object.layoutIndex)
    guard let entity = names.entity(index) else { return }
    for ordinal in changed.ordinals where ordinal < names.propertyCount(index) {
      guard let bit = names.bit(ordinal, index) else { continue }
      try connection.run(DeferredTable.removingProperty, entity, object.key, Int64(bit))
    }
  }
}

extension Connection {
  /// Runs a statement with whole numbers as its parameters.
  package func run(_ sql: String, _ numbers: Int64...) throws(SQLiteError) {
    var statement = try prepare(sql)
    for (place, number) in numbers.enumerated() { try statement.bind(number, at: place + 1) }
    try statement.run()
  }
}
