package import ManagedObjectModel

/// The table of a many-to-many relationship, or of a to-many relationship without an inverse.
///
/// The first column contains the keys of the entity that the table is named after; the second, the
/// keys of the related objects. Each column is named after the relationship whose
/// destinations it contains.
package final class JoinTable: Sendable {
  package let name: String
  /// The relationship that gives the table its name, from the first column's objects to the
  /// second's.
  package let relationship: NSRelationshipDescription
  /// The number of the entity that declares the relationship.
  package let number: Int
  package let firstColumn: String
  package let secondColumn: String
  /// The column with the first object's order key among the second object's members, if that side
  /// is ordered.
  package let firstOrderColumn: String?
  /// The column with the second object's order key among the first object's members, if that side
  /// is ordered.
  package let secondOrderColumn: String?

  init(
    name: String, relationship: NSRelationshipDescription, number: Int, firstColumn: String,
    secondColumn: String,
    firstOrderColumn: String?, secondOrderColumn: String?
  ) {
    self.name = name
    self.relationship = relationship
    self.number = number
    self.firstColumn = firstColumn
    self.secondColumn = secondColumn
    self.firstOrderColumn = firstOrderColumn
    self.secondOrderColumn = secondOrderColumn
  }

  /// All columns, in the order of the table's definition.
  package var columns: [String] {
    [firstColumn, secondColumn] + [firstOrderColumn, secondOrderColumn].compactMap { $0 }
  }

  /// Whether the relationship is its own inverse.
  ///
  /// Each pair then has two rows, one in either direction, so that the first column alone finds all
  /// members.
  package var isReflexive: Bool { relationship.inverseRelationship === relationship }
}
