package import ManagedObjectModel

/// The storage of a to-many relationship.
package enum ToManyStorage: Sendable {
  /// In the rows of the members, as the key of the owner.
  ///
  /// The column is that of the inverse. Without an inverse, it is that of an `OwnerColumn`, and a
  /// change of the owner's members writes it.
  case foreignKey(PropertyColumn, inverse: NSRelationshipDescription?)
  /// In a join table.
  case join(JoinTable, ownerColumn: String, memberColumn: String, orderColumn: String?)
}
