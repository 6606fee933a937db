package import ObjectRows

/// A pair of a many-to-many relationship, which a join record represents.
///
/// The ledger keeps each pair in one direction: `relationship` leads from `first` to `second`. If
/// it is its own inverse, `first` is the object with the smaller key.
package struct PairKey: Hashable, Sendable {
  /// The name of the entity that declares the relationship.
  package let entity: String
  /// The name of the relationship that leads from `first` to `second`.
  package let relationship: String
  package let first: RowKey
  package let second: RowKey

  package init(entity: String, relationship: String, first: RowKey, second: RowKey) {
    (self.entity, self.relationship, self.first) = (entity, relationship, first)
    self.second = second
  }
}
