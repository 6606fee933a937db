import CloudRecords
import MirrorModel
import ObjectRows
import SQLiteDriver

/// Moves records of objects and of their pairs to another zone, in the open transaction.
///
/// A record keeps its name, and is sent to the new zone as a whole. The record in the former zone
/// is deleted once the server has the new one (`DeferredItem.Kind.former`), so an object is always
/// in some zone.
struct ZoneMoves {
  private let names: LedgerNames
  private let connection: Connection
  /// Returns the group of the outbox entries of an entity's key.
  private let group: (_ entity: Int64, _ key: Int64) -> Int64

  init(
    _ names: LedgerNames, _ connection: Connection,
    group: @escaping (_ entity: Int64, _ key: Int64) -> Int64
  ) {
    (self.names, self.connection, self.group) = (names, connection, group)
  }

  /// The columns of a row in a new zone: a pending insertion that keeps its changed properties.
  private static func moving(masks: Range<Int>) -> String {
    "zone = ?1, moves = moves + (reach > 0), pending = 0, grp = ?2, stamp = stamp + 1, reach = 0, "
      + "sent = NULL, sentstamp = NULL, tag = NULL"
      + masks.map { ", m\($0) = m\($0) | s\($0), s\($0) = 0, e\($0) = NULL" }.joined()
  }

  private static let keepingObject =
    "INSERT OR REPLACE INTO PHM_DEFERRED(kind, entity, key, zone, record, property, dependency, "
    + "reason, payload) SELECT \(DeferredItem.Kind.former.rawValue), 0, 0, o.zone, o.name, 0, '', "
    + "o.tag, f.digests FROM PHM_OBJECT o LEFT JOIN PHM_OBJECT_SYSTEM f ON f.entity = o.entity "
    + "AND f.key = o.key WHERE o.entity = ?1 AND o.key = ?2 AND o.reach > 0 AND o.zone <> ?3"
  private static let movingObject =
    "UPDATE PHM_OBJECT SET \(moving(masks: 0..<4)) WHERE entity = ?3 AND key = ?4 AND zone <> ?1 "
    + "AND pending IS NOT 2"
  private static func keepingPairs(of column: String, _ others: String = "") -> String {
    "INSERT OR REPLACE INTO PHM_DEFERRED(kind, entity, key, zone, record, property, dependency, "
      + "reason) SELECT \(DeferredItem.Kind.former.rawValue), 0, 0, zone, name, 0, '', tag "
      + "FROM PHM_PAIR WHERE relationship = ?1 AND \(column) = ?2 AND reach > 0 AND zone <> ?3 "
      + "AND pending IS NOT 2\(others)"
  }
  private static func movingPairs(of column: String, _ others: String = "") -> String {
    "UPDATE PHM_PAIR SET \(moving(masks: 0..<0)) WHERE relationship = ?3 AND \(column) = ?4 "
      + "AND zone <> ?1 AND pending IS NOT 2\(others)"
  }
  /// The condition that the other object of a pair is in a zone.
  private static func other(than column: String, isIn zone: String) -> String {
    let other = column == "first" ? "second" : "first"
    return " AND EXISTS(SELECT 1 FROM PHM_OBJECT o WHERE o.entity = PHM_PAIR.\(other)entity "
      + "AND o.key = PHM_PAIR.\(other) AND o.zone = \(zone))"
  }

  /// Moves an object and its pairs, and returns whether the object moved.
  @discardableResult
  func move(_ object: RowKey, to zone: Int64) throws -> Bool {
    guard let entity = names.entity(Int(object.layoutIndex)) else { return false }
    let group = group(entity, object.key)
    try connection.run(Self.keepingObject, entity, object.key, zone)
    try connection.run(Self.movingObject, zone, group, entity, object.key)
    guard connection.changes > 0 else { return false }
    try SystemFields.forget(ofObject: [entity, object.key], on: connection)
    for side in names.sides(Int(object.layoutIndex)) {
      for column in side.columns {
        let number = side.relationship.number
        try connection.run(Self.keepingPairs(of: column), number, object.key, zone)
        try connection.run(Self.movingPairs(of: column), zone, group, number, object.key)
      }
    }
    return true
  }

  /// Moves the pairs of an object into its zone, unless the other object is in another zone.
  ///
  /// Other devices may have moved both objects before they knew of the pairs.
  func gatherPairs(of object: RowKey, in zone: Int64) throws {
    guard let entity = names.entity(Int(object.layoutIndex)) else { return }
    for side in names.sides(Int(object.layoutIndex)) {
      for column in side.columns {
        let number = side.relationship.number
        try connection.run(
          Self.keepingPairs(of: column, Self.other(than: column, isIn: "?3")), number, object.key,
          zone)
        try connection.run(
          Self.movingPairs(of: column, Self.other(than: column, isIn: "?1")), zone,
          group(entity, object.key), number, object.key)
      }
    }
  }

  /// Moves objects.
  func move(_ objects: some Sequence<RowKey>, to zone: Int64) throws {
    for object in objects { try move(object, to: zone) }
  }

  /// Moves a connected part of the graph to the zone of a share: as much as one transaction takes
  /// now, and the rest later.
  func begin(_ part: [RowKey], to zone: Int64) throws {
    let first = part.prefix(LedgerLimits.movesInTransaction)
    try move(first, to: zone)
    if first.count < part.count { try MoveFrontier(names, connection).add(first, in: zone) }
  }
}

extension LedgerNames.PairSide {
  /// The columns of the ledger's pairs that may have an object of this side.
  var columns: [String] {
    relationship.isReflexive ? ["first", "second"] : [isFirst ? "first" : "second"]
  }
}
