/// A pair of objects that a many-to-many relationship joins, by the names of their records.
package struct JoinPair: Hashable, Sendable, Codable {
  package let join: JoinRelationship
  /// The record of the object on the first side.
  package let first: String
  /// The record of the object on the second side.
  package let second: String

  /// Creates a pair; if the relationship is its own inverse, the names are sorted.
  package init(_ join: JoinRelationship, first: String, second: String) {
    self.join = join
    let isTurned = join.isSymmetric && second < first
    self.first = isTurned ? second : first
    self.second = isTurned ? first : second
  }
}
