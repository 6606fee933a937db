/// The queries of records, by subject and by name.
enum RecordQueries {
  /// The outbox entries of pairs with an object on their first or second side.
  static let pairPlaces = ["first", "second"].map {
    "SELECT sent, stamp, sentstamp FROM PHM_PAIR WHERE relationship = ?1 AND \($0) = ?2 AND "
      + "pending IS NOT NULL"
  }

  static let place =
    "SELECT pending, sent, stamp, sentstamp, at FROM PHM_OBJECT WHERE entity = ?1 AND key = ?2"

  private static let objectColumns =
    "SELECT entity, key, zone, name, tag, \(SystemFields.ofObject), pending, "
    + "m0 | s0, m1 | s1, m2 | s2, m3 | s3, s0 & ~m0, s1 & ~m1, s2 & ~m2, s3 & ~m3, "
    + "\(SystemFields.digests), "
    + "\(SystemFields.areLost), e0 IS NOT NULL, ifnull(e0, 0), ifnull(e1, 0), ifnull(e2, 0), "
    + "ifnull(e3, 0), moves, reach > 0 "
    + "FROM PHM_OBJECT WHERE "
  static let objectByKey = objectColumns + "entity = ?1 AND key = ?2"
  static let objectByName = objectColumns + "zone = ?1 AND name = ?2"

  private static let pairColumns =
    "SELECT relationship, first, second, firstentity, secondentity, zone, name, tag, "
    + "\(SystemFields.ofPair), pending, moves, reach > 0 FROM PHM_PAIR WHERE "
  static let pairByKey = pairColumns + "relationship = ?1 AND first = ?2 AND second = ?3"
  static let pairByName = pairColumns + "zone = ?1 AND name = ?2"
  static let pairsInOrder =
    pairColumns
    + "(relationship, first, second) > (?1, ?2, ?3) AND zone = ?4 ORDER BY relationship, "
    + "first, second LIMIT ?5"
}
