/// The numbers of groups.
///
/// The group of a save is the number of its transaction. The groups of a backfill have negative
/// numbers, so that they come first. A negative number covers some consecutive keys of an entity,
/// because a whole entity would not fit in one request.
enum OutboxGroup {
  private static let base = Int64.min / 2
  /// The number of groups of one entity.
  private static let groups: Int64 = 1 << 40
  /// The first number of relationships, which follow all entities.
  private static let firstRelationship: Int64 = 1 << 20

  /// The group of an object's key, as SQL over its row.
  static let ofObject =
    "(\(base) + entity * \(groups) + (key / \(LedgerLimits.keysInGroup)) % \(groups))"

  /// The group of a pair, as SQL over its row.
  static let ofPair =
    "(\(base) + (\(firstRelationship) + relationship) * \(groups) + (first / "
    + "\(LedgerLimits.keysInGroup)) % \(groups))"

  package static func of(entity: Int64, key: Int64) -> Int64 {
    base + entity * groups + (key / LedgerLimits.keysInGroup) % groups
  }

  package static func of(relationship: Int64, first: Int64) -> Int64 {
    base + (firstRelationship + relationship) * groups + (first / LedgerLimits.keysInGroup) % groups
  }
}
