import ObjectRows
import SQLiteDriver

/// The migration of an older table to the newer version: unchanged, changed in place, or copied.
struct TableMigration {
  let table: TableSchema
  /// The older table with its rows; nil if all its entities are new.
  let source: TableSchema?
  /// The older entities whose rows the table takes over, with their newer counterparts.
  private let pairs: [(former: EntitySchema, entity: EntitySchema)]
  private let values: [EntityValues]
  private let mapping: MigrationMapping
  /// Whether the older table can become the newer one without a copy.
  let stays: Bool

  /// - Parameter keepsColumns: Whether the table may keep columns that no property has any longer.
  init(
    _ table: TableSchema, _ mapping: MigrationMapping, constrainedTables: Set<String>,
    keepsColumns: Bool
  ) throws(StoreError) {
    self.table = table
    self.mapping = mapping
    let pairs = table.entities.compactMap { entity in
      mapping.source(of: entity).map { ($0, entity) }
    }
    self.pairs = pairs
    let values = pairs.map { EntityValues($0.1, from: $0.0, mapping) }
    self.values = values
    let names = Set(pairs.map(\.0.table))
    guard names.count <= 1 else {
      throw StoreError(
        .inferredMappingModel,
        """
        The rows of \(names.sorted().joined(separator: " and ")) would have to come together \
        in the table \(table.name); their keys could collide.
        """,
        context: ["table": table.name])
    }
    let source = mapping.source.tables.first { names.contains($0.name) }
    self.source = source
    stays =
      source.map { source in
        Self.staysWhole(source, pairs.map(\.1.table), mapping)
          && !constrainedTables.contains(source.name)
          && Self.columnsStay(of: source, in: table, values, keepsColumns)
      } ?? false
  }

  /// Whether every row of the older table belongs in this one.
  private static func staysWhole(
    _ source: TableSchema, _ tables: [String], _ mapping: MigrationMapping
  ) -> Bool {
    mapping.destination.entities.allSatisfy { entity in
      mapping.source(of: entity)?.table != source.name || tables.contains(entity.table)
    }
  }

  private static func columnsStay(
    of source: TableSchema, in table: TableSchema, _ values: [EntityValues], _ keepsColumns: Bool
  ) -> Bool {
    let kinds = Dictionary(
      table.columns.map { ($0.name, $0.kind) }, uniquingKeysWith: { first, _ in first })
    let hasRoom = source.columns.allSatisfy { column in
      kinds[column.name].map { $0 == column.kind } ?? keepsColumns
    }
    guard hasRoom else { return false }
    let existing = Set(source.columns.map(\.name))
    return table.columns.allSatisfy { column in
      values.allSatisfy { values in
        (values.values[column.name] ?? (existing.contains(column.name) ? .same : .null))
          .canStay(columnExists: existing.contains(column.name))
      }
    }
  }

  /// The table's name until all older tables are gone.
  var interimName: String { "Z_MIGRATION_\(table.name)" }

  /// Whether the table stays under its name.
  var keepsName: Bool { stays && source?.name == table.name }

  /// The columns that no property uses any longer, if the table stays.
  var unusedColumns: [String] {
    guard stays, let source else { return [] }
    let names = Set(table.columns.map(\.name))
    return source.columns.map(\.name).filter { !names.contains($0) }
  }

  // MARK: Statements

  /// The statements that create and fill a copy; empty if the table stays.
  var copying: [String] {
    guard !stays else { return [] }
    let creation = table.definition(named: interimName)
    guard let source, !pairs.isEmpty else { return [creation] }
    let columns = ["Z_PK", "Z_ENT", "Z_OPT"] + table.columns.map(\.name)
    let terms =
      ["Z_PK", mapping.renumbered("Z_ENT", among: formerNumbers), "Z_OPT"]
      + table.columns.map { combined($0.name) ?? "NULL" }
    return [
      creation,
      """
      INSERT INTO \(interimName) (\(columns.joined(separator: ", "))) SELECT \
      \(terms.joined(separator: ", ")) FROM \(source.name) O WHERE Z_ENT IN \
      (\(formerNumbers.map(String.init).joined(separator: ", ")))
      """,
    ]
  }

  /// The statements that change the table in place; empty if the table does not stay.
  ///
  /// They rename the table, delete rows of removed entities, add columns, and update values and
  /// entity numbers.
  var adjusting: [String] {
    guard stays, let source else { return [] }
    let name = keepsName ? table.name : interimName
    var statements: [String] = []
    if !keepsName { statements.append("ALTER TABLE \(source.name) RENAME TO \(name)") }
    let removed = source.entities.map(\.number).filter { mapping.numbers[$0] == nil }
    if !removed.isEmpty {
      statements.append(
        "DELETE FROM \(name) WHERE Z_ENT IN (\(removed.map(String.init).joined(separator: ", ")))")
    }
    let existing = Set(source.columns.map(\.name))
    for column in table.columns where !existing.contains(column.name) {
      statements.append("ALTER TABLE \(name) ADD COLUMN \(column.definition)")
    }
    var assignments = table.columns.compactMap { column -> String? in
      guard let term = combined(column.name), term != column.name, term != "NULL" else {
        return nil
      }
      return "\(column.name) = \(term)"
    }
    let number = mapping.renumbered("Z_ENT", among: formerNumbers)
    if number != "Z_ENT" { assignments.append("Z_ENT = \(number)") }
    if !assignments.isEmpty {
      statements.append("UPDATE \(name) SET \(assignments.joined(separator: ", "))")
    }
    return statements
  }

  /// The statements that give members order keys, for an order that is new in this version.
  var ordering: [String] {
    let orders = values.flatMap(\.newOrders)
    var known: Set<String> = []
    return orders.filter { known.insert($0.order).inserted }.map { order, key in
      RowOrder.numbering(table: table.name, order: order, by: key, then: "Z_PK")
    }
  }

  private var formerNumbers: [Int] { pairs.map(\.former.number).sorted() }

  /// The SQL expression for a column over the rows of all entities, or nil if no entity has it.
  private func combined(_ column: String) -> String? {
    let terms = zip(pairs, values).compactMap { pair, values in
      values.values[column].map { (pair.former.number, $0.sql(of: column)) }
    }
    guard let first = terms.first else { return nil }
    if terms.count == pairs.count, terms.allSatisfy({ $0.1 == first.1 }) { return first.1 }
    if terms.allSatisfy({ $0.1 == "NULL" }) { return "NULL" }
    if stays, terms.allSatisfy({ $0.1 == column }) { return column }
    let cases = terms.map { "WHEN \($0.0) THEN \($0.1)" }.joined(separator: " ")
    return
      "CASE Z_ENT \(cases)\(stays ? " ELSE \(columnExists(column) ? column : "NULL")" : "") END"
  }

  private func columnExists(_ column: String) -> Bool {
    source?.columns.contains { $0.name == column } ?? false
  }
}

/// Order keys of ordered relationships.
enum RowOrder {
  /// A statement that numbers each owner's rows as Core Data does: 2048, 3072, 4096, and so on.
  static func numbering(table: String, order: String, by owner: String, then tie: String) -> String
  {
    """
    UPDATE \(table) SET \(order) = N.place FROM (SELECT rowid k, 1024 * (1 + row_number() \
    OVER (PARTITION BY \(owner) ORDER BY \(tie))) place FROM \(table) WHERE \(owner) NOT \
    NULL) N WHERE N.k = \(table).rowid
    """
  }
}
