import ManagedObjectModel
import ObjectRows

/// The plan for inserting rows of an entity.
// Sendable: immutable after initialization.
final class InsertPlan: @unchecked Sendable {
  let schema: EntitySchema
  let sql: String
  let writes: ContiguousArray<ColumnWrite>

  init(_ schema: EntitySchema) {
    var columns = ColumnWrites(firstParameter: 2)
    for ordinal in schema.columns.indices { columns.add(ordinal, of: schema) }
    self.schema = schema
    writes = columns.writes
    let names = (["Z_PK", "Z_ENT", "Z_OPT"] + columns.columns.map(\.name)).joined(separator: ", ")
    // The entity and the first version are the same in every row.
    let values = (["?", String(schema.number), "1"] + columns.columns.map { _ in "?" }).joined(
      separator: ", ")
    sql = "INSERT INTO \(schema.table)(\(names)) VALUES(\(values))"
  }
}

/// The plan for updating one set of an entity's properties.
// Sendable: immutable after initialization.
final class UpdatePlan: @unchecked Sendable {
  let schema: EntitySchema
  let sql: String
  let writes: ContiguousArray<ColumnWrite>
  /// The parameter of the new version, if the update checks the old one; otherwise that of the key.
  ///
  /// The key and the expected version follow the new version.
  let versionParameter: Int
  /// The statement that reads external values before they are replaced.
  let selectExternal: String?

  init(_ schema: EntitySchema, changed: OrdinalSet, expectsVersion: Bool) {
    var columns = ColumnWrites(firstParameter: 1)
    for ordinal in changed.ordinals where ordinal < schema.columns.count {
      columns.add(ordinal, of: schema)
    }
    self.schema = schema
    writes = columns.writes
    versionParameter = columns.parameterAfter
    let version = columns.parameterAfter
    var assignments = columns.columns.flatMap(Self.assignments)
    assignments.append(expectsVersion ? "Z_OPT = ?\(version)" : "Z_OPT = IFNULL(Z_OPT, 0) + 1")
    let condition =
      expectsVersion ? "Z_PK = ?\(version + 1) AND Z_OPT = ?\(version + 2)" : "Z_PK = ?\(version)"
    sql =
      "UPDATE OR FAIL \(schema.table) SET \(assignments.joined(separator: ", ")) WHERE \(condition)"
    selectExternal = Self.selectExternal(schema, columns.writes.map(\.ordinal))
  }

  /// The assignments of a column and its order column.
  ///
  /// A row that gets another owner loses its order key.
  private static func assignments(of column: ColumnWrites.WrittenColumn) -> [String] {
    let own = "\(column.name) = ?\(column.parameter)"
    guard let order = column.orderColumn else { return [own] }
    return [own, "\(order) = CASE WHEN \(column.name) IS ?\(column.parameter) THEN \(order) END"]
  }

  static func selectExternal(_ schema: EntitySchema, _ ordinals: [Int]) -> String? {
    let names = schema.externalColumns(among: ordinals)
    guard !names.isEmpty else { return nil }
    return "SELECT \(names.joined(separator: ", ")) FROM \(schema.table) WHERE Z_PK = ?"
  }
}

extension ColumnWrite {
  /// Whether the value may be in a file.
  var isExternal: Bool { form == .taggedData || form == .taggedEncoded }
}

/// The plan for deleting rows of an entity.
// Sendable: immutable after initialization.
final class DeletePlan: @unchecked Sendable {
  let schema: EntitySchema
  let sql: String
  let sqlOfAnyVersion: String
  /// The statements that remove the row from join tables, and release the members that it owns.
  let joinDeletions: [String]
  /// The statement that reads the values that may be in files.
  let selectExternal: String?

  init(_ schema: EntitySchema, in store: StoreSchema) {
    self.schema = schema
    sqlOfAnyVersion = "DELETE FROM \(schema.table) WHERE Z_PK = ?"
    sql = sqlOfAnyVersion + " AND Z_OPT = ?"
    joinDeletions =
      schema.joinColumns(in: store).map { "DELETE FROM \($0.table) WHERE \($0.column) = ?" }
      + schema.ownerStatements(in: store).map(\.release)
    selectExternal = UpdatePlan.selectExternal(schema, Array(schema.columns.indices))
  }
}

extension EntitySchema {
  /// The columns of properties whose values may be in files.
  func externalColumns(among ordinals: some Sequence<Int>) -> [String] {
    ordinals.compactMap { ordinal in
      guard let column = columns[ordinal],
        let form = ColumnEncoding(layout.properties[ordinal]),
        form == .taggedData || form == .taggedEncoded
      else { return nil }
      return column.name
    }
  }

  /// The columns of join tables that hold keys of the entity's rows.
  ///
  /// Members of a relationship without an inverse are found by its destination: they have no
  /// relationship of their own.
  func joinColumns(in schema: StoreSchema) -> [(table: String, column: String)] {
    let own = toMany.compactMap { storage -> (table: String, column: String)? in
      guard case .join(let table, let ownerColumn, _, _) = storage else { return nil }
      return (table.name, ownerColumn)
    }
    let others = schema.joinTables.filter { isMember(of: $0, in: schema) }
      .map { (table: $0.name, column: $0.secondColumn) }
    return own + others.filter { other in !own.contains { $0 == other } }
  }

  /// Whether the entity's rows can be in the second column of a join table.
  private func isMember(of table: JoinTable, in schema: StoreSchema) -> Bool {
    let destination = table.relationship.destinationEntity.flatMap({ schema.layouts[$0] })
      .flatMap(schema.entity)
    return destination?.subtreeNumbers.contains(number) ?? false
  }

  /// The statements of the to-many relationships whose owner is in the members' rows.
  func ownerStatements(in schema: StoreSchema) -> [OwnerStatements] {
    toMany.indices.compactMap { ordinal in
      guard case .foreignKey(let column, inverse: nil)? = toMany[ordinal],
        let relationship = layout.properties[ordinal] as? NSRelationshipDescription,
        let members = relationship.destinationEntity.flatMap({ schema.layouts[$0] })
          .flatMap(schema.entity)
      else { return nil }
      return OwnerStatements(column, members: members, owner: self)
    }
  }
}
