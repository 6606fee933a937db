import ManagedObjectModel
import ObjectRows
import SQLiteDriver

/// Joins groups that share an object.
///
/// An object has one row, and so only its latest group. The other entries of its earlier group join
/// the latest one, so that other devices see the whole save at once. If both groups do not fit in
/// one request, only the object changes its group. Groups of objects that are removed because the
/// store starts over never join.
extension OutboxCoalescer {
  static let groupOfObject = "SELECT grp FROM PHM_OBJECT WHERE entity = ?1 AND key = ?2"
  static let groupOfPair =
    "SELECT grp FROM PHM_PAIR WHERE relationship = ?1 AND first = ?2 AND second = ?3"
  static let groupMembers = ["PHM_OBJECT", "PHM_PAIR"].map {
    "SELECT 1 FROM \($0) WHERE grp = ?1 LIMIT ?2"
  }
  static let groupMoves = ["PHM_OBJECT", "PHM_PAIR"].map {
    "UPDATE \($0) SET grp = ?2 WHERE grp = ?1"
  }

  /// Moves the pending groups of a save's objects and pairs into the group of the save.
  package func unite(_ changes: StoreChanges, into group: Int64) throws {
    let count = changes.inserted.count + changes.updated.count + changes.deleted.count
    guard group > 0, count <= LedgerLimits.joinedGroupRows, try connection.latestGroup() > 0 else {
      return
    }
    var others: Set<Int64> = []
    for row in changes.updated {
      others.insert(
        try waitingGroup(RowKey(key: row.row.key, layoutIndex: Int32(row.layout.index))))
    }
    for row in changes.deleted {
      others.insert(try waitingGroup(RowKey(key: row.key, layoutIndex: Int32(row.layout.index))))
    }
    for change in changes.memberships {
      guard let ordinal = change.layout.ordinal(of: change.relationship.name),
        let side = names.side(change.layout.index, ordinal)
      else { continue }
      let owner = RowKey(key: change.owner, layoutIndex: Int32(change.layout.index))
      for member in change.removed + change.added {
        let ends = ends(side, owner, member)
        let numbers = [side.relationship.number, ends.first.key, ends.second.key]
        others.insert(try waitingGroup(Self.groupOfPair, numbers))
      }
    }
    try unite(others, into: group, besides: count)
  }

  /// Moves one object's pending group into a group, for a change from the history.
  package func unite(with object: RowKey, into group: Int64) throws {
    guard group > 0 else { return }
    try unite([try waitingGroup(object)], into: group, besides: 0)
  }

  /// Moves the entries of other groups into one group, as far as they fit.
  ///
  /// - Parameter count: The number of rows that the group is about to get.
  private func unite(_ others: Set<Int64>, into group: Int64, besides count: Int) throws {
    var earlier = others.filter { $0 > 0 && $0 != group }
    guard !earlier.isEmpty else { return }
    let removed = try connection.stateNumber(.startingOver)
    earlier = earlier.filter { $0 > removed }
    var room = LedgerLimits.joinedGroupRows - count - (try size(of: group))
    for other in earlier.sorted(by: >) {
      let size = try size(of: other)
      guard size <= room else { continue }
      for sql in Self.groupMoves { try connection.run(sql, other, group) }
      room -= size
    }
  }

  /// Returns the number of rows in a group, which is not exact above the limit.
  private func size(of group: Int64) throws -> Int {
    var size = 0
    for sql in Self.groupMembers {
      var statement = try connection.prepare(sql)
      try statement.bind(group, LedgerLimits.joinedGroupRows + 1)
      while try statement.step() { size += 1 }
    }
    return size
  }

  /// Returns the group of a pending object; 0 if it is not pending.
  private func waitingGroup(_ object: RowKey) throws -> Int64 {
    guard let entity = names.entity(Int(object.layoutIndex)) else { return 0 }
    return try waitingGroup(Self.groupOfObject, [entity, object.key])
  }

  private func waitingGroup(_ sql: String, _ numbers: [Int64]) throws -> Int64 {
    var statement = try connection.prepare(sql)
    for (place, number) in numbers.enumerated() { try statement.bind(number, at: place + 1) }
    guard try statement.step() else { return 0 }
    return statement.row.optionalInt64(at: 0) ?? 0
  }
}
