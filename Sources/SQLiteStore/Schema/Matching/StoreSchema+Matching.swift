import ManagedObjectModel
package import ObjectRows
package import SQLiteDriver

extension StoreSchema {
  /// The schema with the numbers and names of a real file.
  ///
  /// The numbers of `Z_PRIMARYKEY` win over planned ones, join tables are found by both of their names. Throws where the
  /// file lacks something that the model needs, with the names of table and column.
  package func matched(to connection: Connection, at location: StoreLocation) throws(StoreError) -> StoreSchema {
    let file = try location.sqlite { () throws(SQLiteError) in try FileSchema(connection) }
    return try matched(to: file, at: location)
  }

  func matched(to file: FileSchema, at location: StoreLocation) throws(StoreError) -> StoreSchema {
    let matching = SchemaMatching(planned: self, file: file, location: location)
    return try matching.run()
  }
}

/// Finds what a schema plans in a file.
struct SchemaMatching {
  let planned: StoreSchema
  let file: FileSchema
  let location: StoreLocation

  func run() throws(StoreError) -> StoreSchema {
    var basis = planned.basis
    basis.numbers = try numbers()
    var schema = try StoreSchema(layouts: planned.layouts, configuration: planned.configuration, basis: basis)
    basis.namingRelationships = turnedRelationships(of: schema)
    basis.leafNaming = leafNaming(of: schema)
    basis.entityColumns = entityColumns(of: schema)
    if !basis.namingRelationships.isEmpty || !basis.entityColumns.isEmpty || basis.leafNaming != .element {
      schema = try StoreSchema(layouts: planned.layouts, configuration: planned.configuration, basis: basis)
    }
    try check(schema)
    return schema
  }

  // MARK: Numbers

  private func numbers() throws(StoreError) -> [String: Int] {
    let byName = Dictionary(file.primaryKeys.map { ($0.name, $0.number) }, uniquingKeysWith: { first, _ in first })
    let byNumber = Dictionary(file.primaryKeys.map { ($0.number, $0.name) }, uniquingKeysWith: { first, _ in first })
    let names = Set(planned.entities.map(\.name))
    var numbers: [String: Int] = [:]
    for entity in planned.entities {
      // After a migration that renamed an entity, the table may still have the former name.
      let former = byNumber[entity.number].flatMap { names.contains($0) ? nil : entity.number }
      let renamed = entity.entity.storedRenamingIdentifier.flatMap { names.contains($0) ? nil : byName[$0] }
      guard let number = byName[entity.name] ?? renamed ?? former else {
        throw missing(
          "no row for the entity \(entity.name) in Z_PRIMARYKEY", table: "Z_PRIMARYKEY", ["entity": entity.name])
      }
      numbers[entity.name] = number
    }
    return numbers
  }

  // MARK: Names that do not follow from the model

  /// The relationships whose inverse names the join table in a new store, but which name it in the file.
  private func turnedRelationships(of schema: StoreSchema) -> Set<ObjectIdentifier> {
    var turned: Set<ObjectIdentifier> = []
    for table in schema.joinTables where !file.hasTable(table.name) {
      guard let inverse = table.relationship.inverseRelationship, !table.isReflexive,
        file.hasTable("Z_\(table.number)\(inverse.name.uppercased())")
      else { continue }
      turned.insert(ObjectIdentifier(inverse))
    }
    return turned
  }

  private func leafNaming(of schema: StoreSchema) -> LeafNaming {
    let leaves = schema.entities.flatMap { entity in
      zip(entity.layout.properties, entity.columns).flatMap { property, column in
        (column?.leaves ?? []).map { (entity.table, property.name, $0) }
      }
    }
    guard !leaves.isEmpty else { return .element }
    return LeafNaming.allCases.first { naming in
      leaves.allSatisfy { table, attribute, leaf in
        file.has(naming.columnName(attribute: attribute, path: leaf.path), in: table)
      }
    } ?? .element
  }

  /// The columns with the entity's number whose names have a number of another time.
  private func entityColumns(of schema: StoreSchema) -> [String: [String: String]] {
    var found: [String: [String: String]] = [:]
    for entity in schema.entities {
      for case let column? in entity.columns {
        guard let planned = column.entityColumn, !file.has(planned, in: entity.table) else { continue }
        let suffix = planned.drop { $0 != "_" }
        let candidates = file.columns(of: entity.table)?.filter {
          $0.hasSuffix(suffix) && $0.dropLast(suffix.count).wholeMatch(of: /Z[0-9]+/) != nil
        }
        if let candidates, candidates.count == 1 { found[entity.table, default: [:]][planned] = candidates[0] }
      }
    }
    return found
  }

  // MARK: What must be there

  private func check(_ schema: StoreSchema) throws(StoreError) {
    for table in schema.tables {
      try require(["Z_PK", "Z_ENT", "Z_OPT"] + table.columns.map(\.name), in: table.name, of: table.entities[0].name)
      for join in table.joinTables {
        try require(join.columns, in: join.name, of: "\(table.entities[0].name).\(join.relationship.name)")
      }
    }
  }

  private func require(_ columns: [String], in table: String, of owner: String) throws(StoreError) {
    guard file.hasTable(table) else { throw missing("no table \(table), which \(owner) needs", table: table, [:]) }
    for column in columns where !file.has(column, in: table) {
      throw missing("no column \(column) in the table \(table), which \(owner) needs", table: table, ["column": column])
    }
  }

  private func missing(_ what: String, table: String, _ context: [String: String]) -> StoreError {
    StoreError(
      .incompatibleSchema, "The store \(location.path) has \(what), although its version hashes fit the model.",
      context: context.merging(["table": table, "file": location.path]) { first, _ in first })
  }
}
