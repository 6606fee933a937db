import ManagedObjectModel
package import ObjectRows
package import SQLiteDriver

extension StoreSchema {
  /// The schema with the numbers and names of a file.
  ///
  /// The numbers in `Z_PRIMARYKEY` override the planned ones; join tables are found by either of
  /// their names. Throws if the file lacks a table or column that the model needs.
  package func matched(to connection: Connection, at location: StoreLocation) throws(StoreError)
    -> StoreSchema
  {
    let file = try location.sqlite { () throws(SQLiteError) in try FileSchema(connection) }
    return try matched(to: file, at: location)
  }

  func matched(to file: FileSchema, at location: StoreLocation) throws(StoreError) -> StoreSchema {
    let matching = SchemaMatching(planned: self, file: file, location: location)
    return try matching.run()
  }
}

/// Matches a planned schema with a file.
struct SchemaMatching {
  let planned: StoreSchema
  let file: FileSchema
  let location: StoreLocation

  /// The schema of the file; throws if the file lacks something.
  func run() throws(StoreError) -> StoreSchema {
    let (schema, differences) = try find()
    if let difference = differences.first { throw error(of: difference) }
    return schema
  }

  /// The schema of the file, and its differences from the plan.
  func find() throws(StoreError) -> (StoreSchema, [LayoutDifference]) {
    var basis = planned.basis
    let (numbers, differences) = numbers()
    // Without an entity's number, its join tables cannot be named.
    guard differences.isEmpty else { return (planned, differences + missingTables) }
    basis.numbers = numbers
    var schema = try StoreSchema(
      layouts: planned.layouts, configuration: planned.configuration, basis: basis)
    basis.namingRelationships = turnedRelationships(of: schema)
    basis.leafNaming = leafNaming(of: schema)
    basis.entityColumns = entityColumns(of: schema)
    if !basis.namingRelationships.isEmpty || !basis.entityColumns.isEmpty
      || basis.leafNaming != .element
    {
      schema = try StoreSchema(
        layouts: planned.layouts, configuration: planned.configuration, basis: basis)
    }
    return (schema, missing(of: schema))
  }

  // MARK: Numbers

  private func numbers() -> ([String: Int], [LayoutDifference]) {
    let byName = Dictionary(
      file.primaryKeys.map { ($0.name, $0.number) }, uniquingKeysWith: { first, _ in first })
    let byNumber = Dictionary(
      file.primaryKeys.map { ($0.number, $0.name) }, uniquingKeysWith: { first, _ in first })
    let names = Set(planned.entities.map(\.name))
    var numbers: [String: Int] = [:]
    var differences: [LayoutDifference] = []
    for entity in planned.entities {
      // After a migration that renamed an entity, the table may still have the former name.
      let former = byNumber[entity.number].flatMap { names.contains($0) ? nil : entity.number }
      let renamed = entity.entity.storedRenamingIdentifier.flatMap {
        names.contains($0) ? nil : byName[$0]
      }
      if let number = byName[entity.name] ?? renamed ?? former {
        numbers[entity.name] = number
      } else {
        differences.append(
          LayoutDifference(
            table: "Z_PRIMARYKEY", what: "no row for the entity \(entity.name) in Z_PRIMARYKEY"))
      }
    }
    return (numbers, differences)
  }

  // MARK: Names that do not follow from the model

  /// The relationships that name their join table in the file, although their inverse names it in a
  /// new store.
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

  /// The entity number columns whose names contain an older number.
  private func entityColumns(of schema: StoreSchema) -> [String: [String: String]] {
    var found: [String: [String: String]] = [:]
    for entity in schema.entities {
      for case let column? in entity.columns {
        guard let planned = column.entityColumn, !file.has(planned, in: entity.table) else {
          continue
        }
        let suffix = planned.drop { $0 != "_" }
        let candidates = file.columns(of: entity.table)?.filter {
          $0.hasSuffix(suffix) && $0.dropLast(suffix.count).wholeMatch(of: /Z[0-9]+/) != nil
        }
        if let candidates, candidates.count == 1 {
          found[entity.table, default: [:]][planned] = candidates[0]
        }
      }
    }
    return found
  }

  // MARK: Required objects

  private func missing(of schema: StoreSchema) -> [LayoutDifference] {
    schema.tables.flatMap { table in
      let columns = ["Z_PK", "Z_ENT", "Z_OPT"] + table.columns.map(\.name)
      return file.differences(columns, in: table.name, of: table.entities[0].name)
        + table.joinTables.flatMap { join in
          file.differences(
            join.columns, in: join.name, of: "\(table.entities[0].name).\(join.relationship.name)")
        }
    }
  }

  /// The missing tables, as far as they are known without numbers.
  private var missingTables: [LayoutDifference] {
    planned.tables.filter { !file.hasTable($0.name) }.map {
      .noTable($0.name, of: $0.entities[0].name)
    }
  }

  private func error(of difference: LayoutDifference) -> StoreError {
    var context = ["table": difference.table, "file": location.path]
    context["column"] = difference.column
    return StoreError(
      .incompatibleSchema,
      "The store \(location.path) has \(difference.what), although its version hashes fit the model.",
      context: context)
  }
}
