import ManagedObjectModel
import ObjectRows
import SQLiteDriver
import SQLiteStore

/// Pairs of many-to-many relationships.
///
/// A pair has no values, so only its insertion or deletion can be pending. If an acknowledged pair
/// returns before its deletion was sent, nothing is pending.
extension OutboxCoalescer {
  static let pairInsertion =
    "INSERT INTO PHM_PAIR(relationship, first, second, firstentity, secondentity, zone, name, "
    + "pending, grp, stamp) "
    + "VALUES(?1, ?2, ?3, ?4, ?5, "
    // All objects of a share are in one zone, with their pairs.
    + "IFNULL((SELECT zone FROM PHM_OBJECT WHERE entity = ?4 AND key = ?2), ?6), "
    + "?7, 0, ?8, 1) ON CONFLICT(relationship, first, second) "
    + "DO UPDATE SET "
    + "pending = CASE WHEN reach = 2 AND sent IS NULL THEN NULL ELSE 0 END, "
    + "grp = CASE WHEN reach = 2 AND sent IS NULL THEN NULL ELSE excluded.grp END, stamp = "
    + "stamp + 1 WHERE pending = 2"

  static let forgettingPair =
    "DELETE FROM PHM_PAIR WHERE relationship = ?1 AND first = ?2 AND second = ?3 AND reach = 0"

  static let pairDeletion =
    "UPDATE PHM_PAIR SET pending = 2, grp = ?4, stamp = stamp + 1 "
    + "WHERE relationship = ?1 AND first = ?2 AND second = ?3 AND pending IS NOT 2"

  /// Coalesces a save's changes to one owner's members.
  mutating func coalesce(_ change: MembershipChange, group: Int64) throws {
    guard let ordinal = change.layout.ordinal(of: change.relationship.name),
      let side = names.side(change.layout.index, ordinal)
    else { return }
    let owner = RowKey(key: change.owner, layoutIndex: Int32(change.layout.index))
    for member in change.removed { try removePair(side, owner, member, group: group) }
    for member in change.added { try addPair(side, owner, member, group: group) }
  }

  /// Returns the ends of a pair in the ledger's order.
  package func ends(_ side: LedgerNames.PairSide, _ owner: RowKey, _ member: RowKey) -> (
    first: RowKey, second: RowKey
  ) {
    if side.relationship.isReflexive {
      return owner.key <= member.key ? (owner, member) : (member, owner)
    }
    return side.isFirst ? (owner, member) : (member, owner)
  }

  package mutating func addPair(
    _ side: LedgerNames.PairSide, _ owner: RowKey, _ member: RowKey, group: Int64
  ) throws {
    let ends = ends(side, owner, member)
    guard let first = names.entity(Int(ends.first.layoutIndex)),
      let second = names.entity(Int(ends.second.layoutIndex))
    else { return }
    var statement = try connection.prepare(Self.pairInsertion)
    try statement.bind(
      side.relationship.number, ends.first.key, ends.second.key, first, second, homeZone,
      nextName(), group)
    try statement.run()
  }

  private func removePair(
    _ side: LedgerNames.PairSide, _ owner: RowKey, _ member: RowKey, group: Int64
  ) throws {
    let ends = ends(side, owner, member)
    try removePair(side.relationship.number, ends.first.key, ends.second.key, group: group)
  }

  func removePair(_ relationship: Int64, _ first: Int64, _ second: Int64, group: Int64) throws {
    try connection.run(Self.forgettingPair, relationship, first, second)
    if connection.changes == 0 {
      try connection.run(Self.pairDeletion, relationship, first, second, group)
    }
  }

  /// Coalesces the deletion of all pairs of a deleted object.
  func deletePairs(of key: Int64, _ relationship: PairRelationship, isFirst: Bool, group: Int64)
    throws
  {
    let column = isFirst ? "first" : "second"
    try connection.run(Self.forgettingPairs(of: column), relationship.number, key)
    try connection.run(Self.pairDeletions(of: column), relationship.number, key, group)
  }

  static func forgettingPairs(of column: String) -> String {
    "DELETE FROM PHM_PAIR WHERE relationship = ?1 AND \(column) = ?2 AND reach = 0"
  }

  static func pairDeletions(of column: String) -> String {
    "UPDATE PHM_PAIR SET pending = 2, grp = ?3, stamp = stamp + 1 WHERE relationship = ?1 AND "
      + "\(column) = ?2 AND pending IS NOT 2"
  }

  // MARK: From the store's tables

  /// Makes the pairs of an owner equal to the store's.
  ///
  /// The history names a changed relationship, but not the changed members.
  mutating func reconcilePairs(
    of owner: RowKey, _ side: LedgerNames.PairSide, layouts: MemberLayouts, group: Int64
  )
    throws
  {
    let members = try layouts.members(of: owner.key, side, on: connection)
    for member in members { try addPair(side, owner, member, group: group) }
    let present = Set(members.map(\.key))
    for (first, second) in try knownPairs(of: owner.key, side) {
      let member = side.isFirst && first == owner.key ? second : first
      if !present.contains(member) {
        try removePair(side.relationship.number, first, second, group: group)
      }
    }
  }

  private func knownPairs(of key: Int64, _ side: LedgerNames.PairSide) throws -> [(Int64, Int64)] {
    var columns = [side.isFirst ? "first" : "second"]
    if side.relationship.isReflexive { columns = ["first", "second"] }
    var pairs: [(Int64, Int64)] = []
    for column in columns {
      var statement = try connection.prepare(
        "SELECT first, second FROM PHM_PAIR WHERE relationship = ?1 AND \(column) = ?2 AND "
          + "pending IS NOT 2"
      )
      try statement.bind(side.relationship.number, key)
      while try statement.step() {
        pairs.append((statement.row.int64(at: 0), statement.row.int64(at: 1)))
      }
    }
    return pairs
  }
}

/// Finds the members of owners in the store's tables, with their entities.
struct MemberLayouts {
  package let store: SQLiteRowStore

  package func members(of owner: Int64, _ side: LedgerNames.PairSide, on connection: Connection)
    throws
    -> [RowKey]
  {
    let pair = side.relationship
    let (ownerColumn, memberColumn, table) =
      side.isFirst
      ? (pair.firstColumn, pair.secondColumn, pair.secondTable)
      : (pair.secondColumn, pair.firstColumn, pair.firstTable)
    var statement = try connection.prepare(
      "SELECT m.Z_PK, m.Z_ENT FROM \(pair.joinTable) j JOIN \(table) m ON m.Z_PK = "
        + "j.\(memberColumn) "
        + "WHERE j.\(ownerColumn) = ?1 ORDER BY m.Z_PK")
    try statement.bind(owner, at: 1)
    var members: [RowKey] = []
    while try statement.step() {
      guard let entity = store.schema.entity(number: Int(statement.row.int64(at: 1))) else {
        continue
      }
      members.append(
        RowKey(key: statement.row.int64(at: 0), layoutIndex: Int32(entity.layout.index)))
    }
    return members
  }
}
