package import ManagedObjectModel

/// The column in the members' rows with the key of their owner, for a to-many relationship without
/// an inverse.
///
/// A member has one owner at most. The column's name contains the number of the entity that
/// declares the relationship, such as `Z1STAMPS`.
package struct OwnerColumn: Sendable {
  package let relationship: NSRelationshipDescription
  /// The number of the entity that declares the relationship.
  package let ownerNumber: Int
  /// The number of the relationship's destination entity.
  package let memberNumber: Int
  package let column: PropertyColumn
}
