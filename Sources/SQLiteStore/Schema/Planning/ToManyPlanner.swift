import ManagedObjectModel
import ObjectRows

/// Finds the tables and columns of to-many relationships among the planned ones.
struct ToManyPlanner {
  let tree: EntityTree
  let joins: JoinPlanner
  /// The columns of each table, by the index of its root entity.
  let columns: [Int: ColumnPlanner]

  /// The storage of a property of an entity; nil if it is not a stored to-many one.
  func storage(of property: NSPropertyDescription, in index: Int) throws(StoreError)
    -> ToManyStorage?
  {
    guard let relationship = property as? NSRelationshipDescription, relationship.isToMany else {
      return nil
    }
    let declaring =
      tree.line(of: index).first { tree.nodes[$0].ownProperties.contains { $0 === property } }
      ?? index
    switch try joins.storage(of: relationship, in: declaring) {
    case .inverse(let inverse):
      return try membersColumns(of: relationship, in: declaring)?
        .columns[ObjectIdentifier(inverse)].map { .foreignKey($0, inverse: inverse) }
    case .owner:
      return try membersColumns(of: relationship, in: declaring)?.ownerColumns.first {
        $0.relationship === relationship && $0.ownerNumber == tree.nodes[declaring].number
      }.map { .foreignKey($0.column, inverse: nil) }
    case .join(let table, isFirst: true):
      return .join(
        table, ownerColumn: table.firstColumn, memberColumn: table.secondColumn,
        orderColumn: table.secondOrderColumn)
    case .join(let table, isFirst: false):
      return .join(
        table, ownerColumn: table.secondColumn, memberColumn: table.firstColumn,
        orderColumn: table.firstOrderColumn)
    case nil: return nil
    }
  }

  private func membersColumns(of relationship: NSRelationshipDescription, in node: Int)
    throws(StoreError) -> ColumnPlanner?
  {
    let destination = try tree.destination(of: relationship, in: tree.nodes[node])
    return columns[tree.nodes[destination].root]
  }
}
