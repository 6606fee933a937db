import ManagedObjectModel
import ObjectRows

/// Matches a planned schema with a file.
struct SchemaMatching {
  let planned: StoreSchema
  let file: FileSchema
  let location: StoreLocation

  /// The result of matching.
  struct Found {
    /// The schema with the file's numbers and names.
    var schema: StoreSchema
    /// Tables and columns that the file lacks.
    var missing: [LayoutDifference]
    /// Differences from a new store that do not prevent reading and writing.
    var deviations: [LayoutDifference] = []
  }

  /// The schema of the file; throws if the file lacks something.
  func run() throws(StoreError) -> StoreSchema {
    let found = try find()
    if let difference = found.missing.first { throw error(of: difference) }
    return found.schema
  }

  /// Finds the planned tables and columns in the file: first the numbers and tables, from which
  /// other names follow, then the columns and join tables.
  func find() throws(StoreError) -> Found {
    var basis = planned.basis
    let (numbers, differences) = numbers()
    // Without an entity's number, its join tables cannot be named.
    guard differences.isEmpty else {
      return Found(schema: planned, missing: differences + missingTables)
    }
    basis.numbers = numbers
    var schema = try replanned(basis)
    var differing = NameSearch(schema: schema, file: file)
    if differing.addTables(to: &basis) { schema = try replanned(basis) }
    let turned = turnedRelationships(of: schema)
    let naming = leafNaming(of: schema)
    if !turned.isEmpty || naming != .element {
      basis.namingRelationships = turned
      basis.leafNaming = naming
      schema = try replanned(basis)
    }
    var names = NameSearch(schema: schema, file: file)
    if names.addColumns(to: &basis) { schema = try replanned(basis) }
    return Found(
      schema: schema, missing: missing(of: schema),
      deviations: differing.deviations + names.deviations)
  }

  private func replanned(_ basis: SchemaBasis) throws(StoreError) -> StoreSchema {
    try StoreSchema(layouts: planned.layouts, configuration: planned.configuration, basis: basis)
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
      // After a migration that renamed an entity, `Z_PRIMARYKEY` may still have the former name.
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
      "The store \(location.path) has \(difference.what), so it does not fit the model.",
      context: context)
  }
}
