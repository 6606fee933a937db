package import ManagedObjectModel

/// The table of a many-to-many relationship, or of a to-many relationship without an inverse.
///
/// The first column has the keys of the objects whose entity names the table, the second those of
/// the objects that they are related to. Each is named after the relationship that leads to its
/// objects.
package final class JoinTable: Sendable {
  package let name: String
  /// The relationship that the table is named after, which leads from the first column's objects to
  /// the second's.
  package let relationship: NSRelationshipDescription
  /// The number of the entity that declares the relationship.
  package let number: Int
  package let firstColumn: String
  package let secondColumn: String
  /// The column with the place of the first column's object among those of the second's, where that
  /// side is ordered.
  package let firstOrderColumn: String?
  /// The column with the place of the second column's object among those of the first's, where that
  /// side is ordered.
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
  /// Each pair then has two rows, one in either direction, so that a row's first column alone finds
  /// all of its members.
  package var isReflexive: Bool { relationship.inverseRelationship === relationship }
}
