import ManagedObjectModel
import ObjectRows
import SQLiteDriver

/// How the members of a relationship are read: for many owners in one statement, with or without their rows.
struct RelationshipQuery {
  /// The plan that the members' rows are read with.
  let plan: ReadPlan
  let select: RowQuery
  let includesRows: Bool
  /// The column with the owner's key.
  let ownerColumn: Int
  /// The column with the member's place, where the relationship is ordered.
  let orderColumn: Int?

  /// - Parameter isSingle: Whether the statement is for one owner, whose key is its parameter; else the keys are in the
  ///   first integer array, each once: the statement goes along them, since `IN` would have SQLite make an index of them first.
  init(
    _ relationship: NSRelationshipDescription, ordinal: Int, of owner: EntitySchema, in schema: StoreSchema,
    plan: ReadPlan, includesRows: Bool, isSingle: Bool
  ) throws(StoreError) {
    let source = try Source(relationship, ordinal: ordinal, of: owner, in: schema)
    let order = relationship.isToMany ? source.order : nil
    self.plan = plan
    self.includesRows = includesRows
    // The leading columns come first, as the collector of rows wants them.
    var columns =
      includesRows ? [plan.selectList(of: "t0")] : ReadPlan.leadingColumns.prefix(2).map { "t0.\($0)" }
    ownerColumn = includesRows ? ReadPlan.leadingColumns.count + plan.columns.count : 2
    orderColumn = order == nil ? nil : ownerColumn + 1
    columns.append(source.owner)
    if let order { columns.append(order) }
    let tables = isSingle ? source.tables : "_Z_intarray0 o CROSS JOIN \(source.tables)"
    let condition = "\(source.owner) = \(isSingle ? "?" : "o.value")"
    select = RowQuery(
      collecting: "SELECT \(columns.joined(separator: ", ")) FROM \(tables) WHERE \(condition)",
      columns: (orderColumn ?? ownerColumn) + 1)
  }
}

extension RelationshipQuery {
  /// Where a relationship is kept, in SQL: the members are `t0`.
  private struct Source {
    let tables: String
    let owner: String
    let order: String?

    init(
      _ relationship: NSRelationshipDescription, ordinal: Int, of owner: EntitySchema, in schema: StoreSchema
    ) throws(StoreError) {
      let destination = try schema.requireDestination(of: relationship)
      switch owner.toMany[ordinal] {
      case .join(let table, let ownerColumn, let memberColumn, let orderColumn):
        tables = "\(table.name) t1 JOIN \(destination.table) t0 ON t0.Z_PK = t1.\(memberColumn)"
        self.owner = "t1.\(ownerColumn)"
        order = orderColumn.map { "t1.\($0)" }
      case .foreignKey(let inverse):
        let column = try destination.requireColumn(of: inverse)
        tables = "\(destination.table) t0"
        self.owner = "t0.\(column.name)"
        order = column.orderColumn.map { "t0.\($0)" }
      case nil:
        let column = try owner.requireColumn(of: relationship)
        tables = "\(owner.table) t1 JOIN \(destination.table) t0 ON t0.Z_PK = t1.\(column.name)"
        self.owner = "t1.Z_PK"
        order = nil
      }
    }
  }
}

extension StoreSchema {
  /// Where the members of a relationship are kept.
  func requireDestination(of relationship: NSRelationshipDescription) throws(StoreError) -> EntitySchema {
    if let layout = relationship.destinationEntity.flatMap({ layouts[$0] }) { return try requireEntity(layout) }
    throw StoreError(
      .incompatibleSchema, "The relationship \(relationship.name) has no destination in the store's model.",
      context: ["relationship": relationship.name])
  }
}

extension EntitySchema {
  /// The column of a property.
  ///
  /// Throws where the store does not keep the property.
  func requireColumn(of property: NSPropertyDescription) throws(StoreError) -> PropertyColumn {
    if let column = column(named: property.name) { return column }
    throw StoreError(
      .incompatibleSchema, "The store keeps no column for the property \(property.name) of the entity \(name).",
      context: ["entity": name, "property": property.name])
  }
}
