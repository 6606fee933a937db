import CloudRecords
import MirrorModel
import ObjectRows
import SQLiteDriver

/// Moves records of objects and of their pairs to another zone, in the transaction that is open.
///
/// A record keeps its name, and is sent to the new zone as a whole. The record in the former zone
/// is deleted when the server has the new one (`DeferredItem.Kind.former`), so an object is never
/// in no zone.
struct ZoneMoves {
  private let names: LedgerNames
  private let connection: Connection
  private let seam: LedgerSeam?

  init(_ names: LedgerNames, _ connection: Connection, _ seam: LedgerSeam?) {
    (self.names, self.connection, self.seam) = (names, connection, seam)
  }

  /// The columns of a row in a new zone: it waits as an insertion, with what changed of it.
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
  private static func keepingPairs(of column: String) -> String {
    "INSERT OR REPLACE INTO PHM_DEFERRED(kind, entity, key, zone, record, property, dependency, "
      + "reason) SELECT \(DeferredItem.Kind.former.rawValue), 0, 0, zone, name, 0, '', tag "
      + "FROM PHM_PAIR WHERE relationship = ?1 AND \(column) = ?2 AND reach > 0 AND zone <> ?3 "
      + "AND pending IS NOT 2"
  }
  private static func movingPairs(of column: String) -> String {
    "UPDATE PHM_PAIR SET \(moving(masks: 0..<0)) WHERE relationship = ?3 AND \(column) = ?4 "
      + "AND zone <> ?1 AND pending IS NOT 2"
  }
  /// Moves objects, with the pairs that they are in.
  ///
  /// - Returns: The objects that were in another zone.
  func move(_ objects: [RowKey], to zone: Int64, group: (Int64, RowKey) -> Int64) throws
    -> [RowKey]
  {
    var moved: [RowKey] = []
    for object in seam?.moved?(objects) ?? objects {
      guard let entity = names.entity(Int(object.layoutIndex)) else { continue }
      let group = group(entity, object)
      try connection.run(Self.keepingObject, entity, object.key, zone)
      try connection.run(Self.movingObject, zone, group, entity, object.key)
      guard connection.changes > 0 else { continue }
      moved.append(object)
      try SystemFields.forget(ofObject: [entity, object.key], on: connection)
      guard seam?.movesPairs ?? true else { continue }
      for side in names.sides(Int(object.layoutIndex)) {
        for column in side.columns {
          let number = side.relationship.number
          try connection.run(Self.keepingPairs(of: column), number, object.key, zone)
          try connection.run(Self.movingPairs(of: column), zone, group, number, object.key)
        }
      }
    }
    return moved
  }
}

extension LedgerNames.PairSide {
  /// The columns of the ledger's pairs that may have an object of this side.
  var columns: [String] {
    relationship.isReflexive ? ["first", "second"] : [isFirst ? "first" : "second"]
  }
}
