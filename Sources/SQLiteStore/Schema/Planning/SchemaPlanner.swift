import ManagedObjectModel
import ObjectRows

/// Derives the schema of a store from its model.
struct SchemaPlanner {
  private let tree: EntityTree
  private let basis: SchemaBasis

  init(layouts: ModelLayouts, configuration: String?, basis: SchemaBasis) throws(StoreError) {
    tree = try EntityTree(layouts: layouts, configuration: configuration, basis: basis)
    self.basis = basis
  }

  mutating func plan() throws(StoreError) -> (entities: [EntitySchema], tables: [TableSchema]) {
    let roots = tree.roots
    let tableNames = try checkedTableNames(of: roots)
    let joins = try JoinPlanner(
      tree: tree, basis: basis, tableNames: Set(tableNames).union(Self.reservedTables))
    var columns: [Int: ColumnPlanner] = [:]
    for root in roots {
      columns[root] = try ColumnPlanner(tree: tree, root: root, basis: basis, owned: joins.owned)
    }
    let storages = ToManyPlanner(tree: tree, joins: joins, columns: columns)
    var entities: [EntitySchema] = []
    var tables: [TableSchema] = []
    for (root, planned) in zip(roots, tableNames) {
      guard let columns = columns[root] else { continue }
      let name = basis.tables[tree.nodes[root].name] ?? planned
      let members = try tree.subtree(of: root).map { (index) throws(StoreError) in
        try entity(index, table: name, columns: columns.columns, storages)
      }
      entities += members
      let own = joins.joinTables.filter { tree.nodes[$0.node].root == root }.map(\.table)
      tables.append(
        TableSchema(
          name: name, columns: columns.orderedColumns, entities: members,
          ownerColumns: columns.ownerColumns, joinTables: own))
    }
    return (entities.sorted { $0.number < $1.number }, tables)
  }

  private func entity(
    _ index: Int, table: String, columns: [ObjectIdentifier: PropertyColumn],
    _ storages: ToManyPlanner
  ) throws(StoreError) -> EntitySchema {
    let node = tree.nodes[index]
    let root = tree.nodes[node.root]
    let toMany = try node.layout.properties.map { (property) throws(StoreError) in
      try storages.storage(of: property, in: index)
    }
    return EntitySchema(
      layout: node.layout, number: node.number,
      superNumber: node.parent.map { tree.nodes[$0].number } ?? 0,
      table: table, isInHierarchy: !root.children.isEmpty,
      subtreeNumbers: tree.subtree(of: index).map { tree.nodes[$0].number }.sorted(),
      rootNumber: root.number,
      keyNumbers: keyNumbers(of: root),
      columns: node.layout.properties.map { columns[ObjectIdentifier($0)] },
      toMany: toMany)
  }

  /// The numbers of the roots that share an ancestor in the model with this one.
  private func keyNumbers(of root: EntityTree.Node) -> [Int] {
    tree.roots.map { tree.nodes[$0] }.filter { $0.layout.rootIndex == root.layout.rootIndex }.map(
      \.number)
  }

  // MARK: Table names

  private static let reservedTables: Set<String> = [
    "Z_PRIMARYKEY", "Z_METADATA", "Z_MODELCACHE", "ACHANGE", "ATRANSACTION", "ATRANSACTIONSTRING",
  ]

  private func checkedTableNames(of roots: [Int]) throws(StoreError) -> [String] {
    var taken: [String: String] = [:]
    return try roots.map { (root) throws(StoreError) in
      let name = tree.nodes[root].name
      let table = "Z\(name.uppercased())"
      let other = Self.reservedTables.contains(table) ? "the store itself" : taken[table]
      if let other {
        throw StoreError(
          .incompatibleSchema,
          """
          The entity \(name) would have the table \(table), which \(other) has. Rename the \
          entity.
          """,
          context: ["entity": name, "table": table])
      }
      taken[table] = "the entity \(name)"
      return table
    }
  }
}
