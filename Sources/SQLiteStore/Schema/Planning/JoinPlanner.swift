import ManagedObjectModel
import ObjectRows

/// Plans the storage of to-many relationships, and names join tables.
///
/// A join table is named after the relationship of the entity whose name sorts first. If one entity
/// has both relationships, it is named after the one that sorts last.
///
/// A to-many relationship without a stored inverse has a join table too, named after it. No store
/// of Apple's with one was available; the name of its first column, with the suffix `INVERSE`, is
/// this framework's choice.
struct JoinPlanner {
  private let tree: EntityTree
  private let basis: SchemaBasis
  private var tableNames: UniqueNames
  private var tables: [Side: JoinTable] = [:]
  /// The tables, with the index of the entity that each is named after, in the order of their
  /// creation.
  private(set) var joinTables: [(node: Int, table: JoinTable)] = []

  /// One end of a relationship: an entity and the relationship that leaves it.
  private struct Side: Hashable {
    let node: Int
    let relationship: NSRelationshipDescription

    static func == (left: Side, right: Side) -> Bool {
      left.node == right.node && left.relationship === right.relationship
    }
    func hash(into hasher: inout Hasher) {
      hasher.combine(node)
      hasher.combine(ObjectIdentifier(relationship))
    }
  }

  init(tree: EntityTree, basis: SchemaBasis, tableNames: Set<String>) throws(StoreError) {
    self.tree = tree
    self.basis = basis
    self.tableNames = UniqueNames(taken: tableNames)
    for (index, node) in tree.nodes.enumerated() {
      for case let relationship as NSRelationshipDescription in node.ownProperties
      where relationship.isToMany {
        if let pair = try pair(of: Side(node: index, relationship: relationship)),
          pair.first.node == index,
          pair.first.relationship === relationship
        {
          add(pair)
        }
      }
    }
  }

  /// The storage of a to-many relationship that an entity adds to its parent's; nil for a transient
  /// one.
  func storage(of relationship: NSRelationshipDescription, in node: Int) throws(StoreError)
    -> ToManyStorage?
  {
    guard !relationship.isTransient else { return nil }
    if let inverse = storedInverse(of: relationship), !inverse.isToMany {
      return .foreignKey(inverse: inverse)
    }
    let side = Side(node: node, relationship: relationship)
    guard let pair = try pair(of: side), let table = tables[pair.first] else { return nil }
    return pair.first == side
      ? .join(
        table, ownerColumn: table.firstColumn, memberColumn: table.secondColumn,
        orderColumn: table.secondOrderColumn)
      : .join(
        table, ownerColumn: table.secondColumn, memberColumn: table.firstColumn,
        orderColumn: table.firstOrderColumn)
  }

  // MARK: Sides

  /// The two ends of a relationship with a join table, the naming one first; nil without a join
  /// table.
  private func pair(of side: Side) throws(StoreError) -> (first: Side, second: Side?)? {
    guard !side.relationship.isTransient else { return nil }
    let destination = try tree.destination(of: side.relationship, in: tree.nodes[side.node])
    guard let inverse = storedInverse(of: side.relationship) else { return (side, nil) }
    guard inverse.isToMany else { return nil }
    let owner = tree.line(of: destination).first {
      tree.nodes[$0].ownProperties.contains { $0 === inverse }
    }
    let other = Side(node: owner ?? destination, relationship: inverse)
    return names(side, insteadOf: other) ? (side, other) : (other, side)
  }

  private func storedInverse(of relationship: NSRelationshipDescription)
    -> NSRelationshipDescription?
  {
    relationship.inverseRelationship.flatMap { $0.isTransient ? nil : $0 }
  }

  /// Whether the table is named after the first of two sides.
  private func names(_ side: Side, insteadOf other: Side) -> Bool {
    if side == other { return true }
    if side.node != other.node {
      return precedesInStore(
        tree.nodes[side.node].layout.entity, tree.nodes[other.node].layout.entity)
    }
    if basis.namingRelationships.contains(ObjectIdentifier(side.relationship)) { return true }
    if basis.namingRelationships.contains(ObjectIdentifier(other.relationship)) { return false }
    return Self.name(of: other.relationship, precedes: side.relationship)
  }

  private static func name(
    of one: NSRelationshipDescription, precedes other: NSRelationshipDescription
  ) -> Bool {
    let names = [one, other].map { $0.name.lowercased() }
    if names[0] != names[1] { return names[0].utf8.lexicographicallyPrecedes(names[1].utf8) }
    return one.name.utf8.lexicographicallyPrecedes(other.name.utf8)
  }

  // MARK: Tables

  private mutating func add(_ pair: (first: Side, second: Side?)) {
    let (first, second) = pair
    let number = tree.nodes[first.node].number
    let name = first.relationship.name.uppercased()
    var columns = UniqueNames()
    let firstName: String
    let secondName: String
    if let second, second != first {
      firstName = columns.unique("Z_\(number)\(second.relationship.name.uppercased())")
      secondName = columns.unique("Z_\(tree.nodes[second.node].number)\(name)")
    } else if second != nil {
      firstName = columns.unique("Z_\(number)\(name)")
      secondName = columns.unique("REFLEXIVE")
    } else {
      firstName = columns.unique("Z_\(number)\(name)INVERSE")
      secondName = columns.unique("Z_\(destinationNumber(of: first))\(name)")
    }
    let table = JoinTable(
      name: tableNames.unique("Z_\(number)\(name)"), relationship: first.relationship,
      number: number,
      firstColumn: firstName, secondColumn: secondName,
      firstOrderColumn: second?.relationship.isOrdered == true && second != first
        ? orderName(of: firstName) : nil,
      secondOrderColumn: first.relationship.isOrdered ? orderName(of: secondName) : nil)
    tables[first] = table
    joinTables.append((first.node, table))
  }

  private func destinationNumber(of side: Side) -> Int {
    (try? tree.destination(of: side.relationship, in: tree.nodes[side.node])).map {
      tree.nodes[$0].number
    } ?? 0
  }

  /// `Z_FOK_` and the name of the ordered key column without its prefix.
  private func orderName(of column: String) -> String {
    "Z_FOK_\(column.hasPrefix("Z_") ? String(column.dropFirst(2)) : column)"
  }
}
