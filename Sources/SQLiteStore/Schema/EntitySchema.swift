package import ManagedObjectModel
package import ObjectRows

/// The storage of an entity's rows: table, columns, entity number.
package final class EntitySchema: Sendable {
  package let layout: RowLayout
  /// The entity's number, which its rows have in `Z_ENT`.
  package let number: Int
  /// The number of the entity's parent in the store; 0 for a root.
  package let superNumber: Int
  /// The table, which all entities with the same root share.
  package let table: String
  /// Whether several entities share the table.
  package let isInHierarchy: Bool
  /// The numbers of the entity itself and of all its descendants, in order.
  package let subtreeNumbers: [Int]
  /// The number of the root, whose row in `Z_PRIMARYKEY` counts the keys.
  package let rootNumber: Int
  /// The numbers of the roots among which keys must be unique.
  ///
  /// There are others than the entity's own root only if a configuration omits a common ancestor.
  package let keyNumbers: [Int]
  /// The columns, by ordinal; nil for a to-many relationship, a transient property, or a fetched
  /// property.
  package let columns: [PropertyColumn?]
  /// The storage of to-many relationships, by ordinal; nil for every other property and for a
  /// transient relationship.
  package let toMany: [ToManyStorage?]

  init(
    layout: RowLayout, number: Int, superNumber: Int, table: String, isInHierarchy: Bool,
    subtreeNumbers: [Int],
    rootNumber: Int, keyNumbers: [Int], columns: [PropertyColumn?], toMany: [ToManyStorage?]
  ) {
    self.layout = layout
    self.number = number
    self.superNumber = superNumber
    self.table = table
    self.isInHierarchy = isInHierarchy
    self.subtreeNumbers = subtreeNumbers
    self.rootNumber = rootNumber
    self.keyNumbers = keyNumbers
    self.columns = columns
    self.toMany = toMany
  }

  package var entity: NSEntityDescription { layout.entity }

  /// The entity's name; every entity of a store has one.
  package var name: String { layout.entity.name ?? "" }

  /// Whether the entity has no parent in the store.
  package var isRoot: Bool { superNumber == 0 }

  /// The column of a property, or nil if it has none.
  package func column(named property: String) -> PropertyColumn? {
    layout.ordinal(of: property).flatMap { columns[$0] }
  }
}
