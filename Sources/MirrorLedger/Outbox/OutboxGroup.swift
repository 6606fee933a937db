/// The numbers of groups.
///
/// What one save changed has the number of the save's transaction. What a whole store was put in
/// with has numbers below zero, so that it comes first: one for some keys of an entity that follow
/// one another, since all of it together would be no group that fits anywhere.
enum OutboxGroup {
  private static let base = Int64.min / 2
  /// Keys of one entity have so many groups at most.
  private static let groups: Int64 = 1 << 40
  /// Relationships come after all entities.
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
