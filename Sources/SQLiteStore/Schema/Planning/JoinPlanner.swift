import ManagedObjectModel
import ObjectRows

/// Plans the storage of to-many relationships, and names join tables.
///
/// A join table is named after the relationship of the entity whose name sorts first. If one entity
/// has both relationships, the table is named after the relationship whose name sorts last. The
/// names of its columns are unique among those of each entity.
///
/// A to-many relationship without a stored inverse has no join table, but a column in the members'
/// rows. If members have several owners, migrations and copies create a table for it instead, whose
/// first column has the suffix `INVERSE`.
struct JoinPlanner {
  private let tree: EntityTree
  private let basis: SchemaBasis
  private var tableNames: UniqueNames
  private var tables: [Side: JoinTable] = [:]
  /// The column with the keys of each side's own objects.
  private var columns: [Side: String] = [:]
  /// The relationships without an inverse, with the index of the declaring entity.
  private(set) var owned: [(node: Int, relationship: NSRelationshipDescription)] = []
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
    let sides = tree.nodes.enumerated().flatMap { index, node in
      node.ownProperties.compactMap { $0 as? NSRelationshipDescription }
        .filter { $0.isToMany && !$0.isTransient }
        .map { Side(node: index, relationship: $0) }
    }
    var columnNames = UniqueNames()
    for side in sides {
      guard let inverse = storedInverse(of: side.relationship), inverse.isToMany else { continue }
      columns[side] = columnNames.unique(plannedColumn(of: side, inverse))
    }
    for side in sides {
      if let pair = try pair(of: side) {
        if pair.first == side { add(pair) }
      } else if storedInverse(of: side.relationship) == nil {
        owned.append((side.node, side.relationship))
      }
    }
  }

  /// The place in the file that stores a to-many relationship.
  enum Storage {
    /// In the column of the inverse.
    case inverse(NSRelationshipDescription)
    /// In an owner column.
    case owner
    case join(JoinTable, isFirst: Bool)
  }

  /// The storage of an entity's own to-many relationship; nil for a transient one.
  func storage(of relationship: NSRelationshipDescription, in node: Int) throws(StoreError)
    -> Storage?
  {
    guard !relationship.isTransient else { return nil }
    if let inverse = storedInverse(of: relationship), !inverse.isToMany {
      return .inverse(inverse)
    }
    let side = Side(node: node, relationship: relationship)
    guard let pair = try pair(of: side) else { return .owner }
    return tables[pair.first].map { .join($0, isFirst: pair.first == side) }
  }

  // MARK: Sides

  /// The two ends of a relationship with a join table, first the one that names the table; nil
  /// without a join table.
  private func pair(of side: Side) throws(StoreError) -> (first: Side, second: Side?)? {
    guard !side.relationship.isTransient else { return nil }
    let destination = try tree.destination(of: side.relationship, in: tree.nodes[side.node])
    guard let inverse = storedInverse(of: side.relationship) else {
      let isJoined = basis.joinedRelationships.contains(ObjectIdentifier(side.relationship))
      return isJoined ? (side, nil) : nil
    }
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
    let planned = plannedNames(of: pair)
    let key = JoinSide(
      entity: tree.nodes[first.node].name, relationship: ObjectIdentifier(first.relationship))
    let names = basis.joins[key] ?? planned
    let table = JoinTable(
      name: names.table, relationship: first.relationship, number: number,
      firstColumn: names.first, secondColumn: names.second,
      firstOrderColumn: second?.relationship.isOrdered == true && second != first
        ? names.firstOrder ?? orderName(of: names.first) : nil,
      secondOrderColumn: first.relationship.isOrdered
        ? names.secondOrder ?? orderName(of: names.second) : nil)
    tables[first] = table
    joinTables.append((first.node, table))
  }

  /// The names of a join table and its key columns in a new store.
  private mutating func plannedNames(of pair: (first: Side, second: Side?)) -> JoinNames {
    let (first, second) = pair
    let number = tree.nodes[first.node].number
    let name = first.relationship.name.uppercased()
    let table = tableNames.unique("Z_\(number)\(name)")
    guard let second else {
      return JoinNames(
        table: table, first: "Z_\(number)\(name)INVERSE",
        second: "Z_\(destinationNumber(of: first))\(name)")
    }
    return JoinNames(
      table: table, first: column(of: first, second.relationship),
      second: second == first ? "REFLEXIVE" : column(of: second, first.relationship))
  }

  /// The column with the keys of a side's own objects, which is named after the inverse.
  private func column(of side: Side, _ inverse: NSRelationshipDescription) -> String {
    columns[side] ?? plannedColumn(of: side, inverse)
  }

  private func plannedColumn(of side: Side, _ inverse: NSRelationshipDescription) -> String {
    "Z_\(tree.nodes[side.node].number)\(inverse.name.uppercased())"
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
