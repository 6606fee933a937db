import ManagedObjectModel
import ObjectRows

/// Finds tables and columns of a file whose names differ from the planned ones.
///
/// Migrations in place keep names with former entity numbers, former names, and other suffixes. A
/// column is used only if no other column fits and no other property uses it.
struct NameSearch {
  let schema: StoreSchema
  let file: FileSchema
  /// The differences that were found, for `parhelion store check`.
  private(set) var deviations: [LayoutDifference] = []

  init(schema: StoreSchema, file: FileSchema) {
    self.schema = schema
    self.file = file
  }

  // MARK: Tables

  /// Adds the tables with former names, and the relationships without an inverse that have a join
  /// table; returns whether there are any.
  mutating func addTables(to basis: inout SchemaBasis) -> Bool {
    let before = deviations.count
    let claimed = Set(schema.tables.map(\.name))
    for table in schema.tables where !file.hasTable(table.name) {
      let root = table.entities[0]
      guard let found = formerTables(of: root).first(where: { !claimed.contains($0) }) else {
        continue
      }
      basis.tables[root.name] = found
      add(found, insteadOf: table.name, what: "table", of: root.name, in: found)
    }
    for table in schema.tables {
      for owner in table.ownerColumns { addJoined(owner, of: table, to: &basis) }
    }
    return deviations.count > before
  }

  /// The tables that an entity may have had under former names.
  private func formerTables(of root: EntitySchema) -> [String] {
    let names =
      file.primaryKeys.filter { $0.number == root.number }.map(\.name)
      + [root.entity.storedRenamingIdentifier].compactMap { $0 }
    return names.map { "Z\($0.uppercased())" }.filter { table in
      ["Z_PK", "Z_ENT", "Z_OPT"].allSatisfy { file.has($0, in: table) }
    }
  }

  /// Records a relationship without an inverse that has a join table instead of a column.
  private mutating func addJoined(
    _ owner: OwnerColumn, of table: TableSchema, to basis: inout SchemaBasis
  ) {
    let name = owner.relationship.name.uppercased()
    let joinTable = "Z_\(owner.ownerNumber)\(name)"
    guard !file.has(owner.column.name, in: table.name),
      file.has("Z_\(owner.ownerNumber)\(name)INVERSE", in: joinTable)
    else { return }
    basis.joinedRelationships.insert(ObjectIdentifier(owner.relationship))
    deviations.append(
      LayoutDifference(
        table: joinTable,
        what:
          """
          the table \(joinTable) for the relationship \(owner.relationship.name), which has \
          no inverse; a new store has the column \(owner.column.name) in \(table.name), and \
          Apple's frameworks read only that
          """
      ))
  }

  // MARK: Columns

  /// Adds the columns and join tables with other names; returns whether there are any.
  mutating func addColumns(to basis: inout SchemaBasis) -> Bool {
    let before = deviations.count
    for table in schema.tables { addColumns(of: table, to: &basis) }
    addJoinTables(to: &basis)
    return deviations.count > before
  }

  private mutating func addColumns(of table: TableSchema, to basis: inout SchemaBasis) {
    let planned = Set(table.columns.map { $0.name.uppercased() })
    guard let columns = file.columns(of: table.name),
      table.columns.contains(where: { !file.has($0.name, in: table.name) })
    else { return }
    let root = table.entities[0].name
    var free = columns.filter { !planned.contains($0.uppercased()) }
    for wanted in ColumnPattern.all(of: table) where !file.has(wanted.column, in: table.name) {
      let candidates = free.filter(wanted.matches)
      if candidates.count == 1 {
        basis.columns[root, default: [:]][wanted.column] = candidates[0]
        free.removeAll { $0 == candidates[0] }
        add(
          candidates[0], insteadOf: wanted.column, what: "column", of: wanted.property,
          in: table.name)
      } else if wanted.isOptional {
        basis.absentColumns[root, default: []].insert(wanted.column)
        deviations.append(
          LayoutDifference(
            table: table.name, column: wanted.column,
            what:
              """
              no column \(wanted.column) in the table \(table.name), which a new store has \
              for \(wanted.property); reading does not need it
              """
          ))
      }
    }
  }

  // MARK: Join tables

  private mutating func addJoinTables(to basis: inout SchemaBasis) {
    var claimed: Set<String> = []
    var open: [JoinTable] = []
    for join in schema.joinTables {
      if join.columns.allSatisfy({ file.has($0, in: join.name) }) {
        claimed.insert(join.name.uppercased())
      } else {
        open.append(join)
      }
    }
    for join in open {
      let pattern = JoinPattern(join, schema)
      let free = file.tables.filter { !claimed.contains($0) }
      let fitting = free.compactMap { table in
        file.columns(of: table).flatMap { pattern.names(in: table, $0) }
      }
      let own = fitting.filter { $0.table == join.name.uppercased() }
      guard let found = own.first ?? (fitting.count == 1 ? fitting[0] : nil),
        let entity = schema.entity(number: join.number)?.name
      else { continue }
      claimed.insert(found.table)
      let side = JoinSide(entity: entity, relationship: ObjectIdentifier(join.relationship))
      basis.joins[side] = found
      add(found, insteadOf: join)
    }
  }

  private mutating func add(_ found: JoinNames, insteadOf join: JoinTable) {
    if found.table != join.name.uppercased() {
      add(
        found.table, insteadOf: join.name, what: "table", of: join.relationship.name,
        in: found.table)
    }
    let pairs = [
      (found.first, join.firstColumn), (found.second, join.secondColumn),
      (found.firstOrder ?? "", join.firstOrderColumn ?? ""),
      (found.secondOrder ?? "", join.secondOrderColumn ?? ""),
    ]
    for (column, planned) in pairs where column.uppercased() != planned.uppercased() {
      add(column, insteadOf: planned, what: "column", of: join.relationship.name, in: found.table)
    }
  }

  private mutating func add(
    _ name: String, insteadOf planned: String, what: String, of owner: String, in table: String
  ) {
    deviations.append(
      LayoutDifference(
        table: table,
        what: "the \(what) \(name) for \(owner), which is \(planned) in a new store; it is used"))
  }
}
