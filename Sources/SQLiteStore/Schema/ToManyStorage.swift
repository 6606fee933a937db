package import ManagedObjectModel

/// How a to-many relationship is stored.
package enum ToManyStorage: Sendable {
  /// In the rows of the members, as the key of the owner.
  ///
  /// The column is that of the inverse in the member's own `EntitySchema`.
  case foreignKey(inverse: NSRelationshipDescription)
  /// In a join table.
  case join(JoinTable, ownerColumn: String, memberColumn: String, orderColumn: String?)
}
