import ManagedObjectModel
import ObjectRows
import SQLiteDriver

/// The query that reads the members of a relationship for many owners in one statement, with or
/// without their rows.
struct RelationshipQuery {
  /// The plan for the members' rows.
  let plan: ReadPlan
  let select: RowQuery
  let includesRows: Bool
  /// The column with the owner's key.
  let ownerColumn: Int
  /// The column with the member's order key, if the relationship is ordered.
  let orderColumn: Int?

  /// The form in which a statement names the owners.
  enum Owners {
    /// One owner, whose key is the parameter.
    case single
    /// All owners with keys between the two parameters, inclusive; SQLite scans that part of the
    /// index.
    case range
    /// The owners whose keys are in the first integer array, without duplicates.
    ///
    /// The statement scans the array; for `IN`, SQLite would first build an index of it.
    case listed
  }

  init(
    _ relationship: NSRelationshipDescription, ordinal: Int, of owner: EntitySchema,
    in schema: StoreSchema,
    plan: ReadPlan, includesRows: Bool, owners: Owners
  ) throws(StoreError) {
    let source = try Source(relationship, ordinal: ordinal, of: owner, in: schema)
    let order = relationship.isToMany ? source.order : nil
    self.plan = plan
    self.includesRows = includesRows
    // The leading columns come first, as `RowCollector` expects.
    var columns =
      includesRows
      ? [plan.selectList(of: "t0")] : ReadPlan.leadingColumns.prefix(2).map { "t0.\($0)" }
    var count = includesRows ? ReadPlan.leadingColumns.count + plan.columns.count : 2
    // A key column of the member's own row is read only once.
    let known = includesRows ? source.ownColumn.flatMap(plan.columns.firstIndex(of:)) : nil
    ownerColumn = known.map { $0 + ReadPlan.leadingColumns.count } ?? count
    if known == nil {
      columns.append(source.owner)
      count += 1
    }
    orderColumn = order == nil ? nil : count
    if let order { columns.append(order) }
    select = RowQuery(
      collecting:
        "SELECT \(columns.joined(separator: ", ")) FROM \(owners.tables(source.tables)) WHERE "
        + owners.condition(source.owner),
      columns: count + (order == nil ? 0 : 1))
  }
}

extension RelationshipQuery.Owners {
  fileprivate func tables(_ members: String) -> String {
    self == .listed ? "_Z_intarray0 o CROSS JOIN \(members)" : members
  }

  fileprivate func condition(_ owner: String) -> String {
    switch self {
    case .single: "\(owner) = ?"
    case .range: "\(owner) BETWEEN ? AND ?"
    case .listed: "\(owner) = o.value"
    }
  }
}

extension RelationshipQuery {
  /// The SQL source of a relationship: the members are `t0`.
  private struct Source {
    let tables: String
    let owner: String
    /// The column with the owner's key, if it is in the member's own row.
    let ownColumn: String?
    let order: String?

    init(
      _ relationship: NSRelationshipDescription, ordinal: Int, of owner: EntitySchema,
      in schema: StoreSchema
    ) throws(StoreError) {
      let destination = try schema.requireDestination(of: relationship)
      switch owner.toMany[ordinal] {
      case .join(let table, let ownerColumn, let memberColumn, let orderColumn):
        tables = "\(table.name) t1 JOIN \(destination.table) t0 ON t0.Z_PK = t1.\(memberColumn)"
        self.owner = "t1.\(ownerColumn)"
        ownColumn = nil
        order = orderColumn.map { "t1.\($0)" }
      case .foreignKey(let column, _):
        tables = "\(destination.table) t0"
        self.owner = "t0.\(column.name)"
        ownColumn = column.name
        order = column.orderColumn.map { "t0.\($0)" }
      case nil:
        let column = try owner.requireColumn(of: relationship)
        tables = "\(owner.table) t1 JOIN \(destination.table) t0 ON t0.Z_PK = t1.\(column.name)"
        self.owner = "t1.Z_PK"
        ownColumn = nil
        order = nil
      }
    }
  }
}

extension StoreSchema {
  /// Returns the schema of a relationship's members.
  func requireDestination(of relationship: NSRelationshipDescription) throws(StoreError)
    -> EntitySchema
  {
    if let layout = relationship.destinationEntity.flatMap({ layouts[$0] }) {
      return try requireEntity(layout)
    }
    throw StoreError(
      .incompatibleSchema,
      "The relationship \(relationship.name) has no destination in the store's model.",
      context: ["relationship": relationship.name])
  }
}

extension EntitySchema {
  /// The column of a property.
  ///
  /// Throws if the store does not keep the property.
  func requireColumn(of property: NSPropertyDescription) throws(StoreError) -> PropertyColumn {
    if let column = column(named: property.name) { return column }
    throw StoreError(
      .incompatibleSchema,
      "The store keeps no column for the property \(property.name) of the entity \(name).",
      context: ["entity": name, "property": property.name])
  }
}
