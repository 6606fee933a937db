import ManagedObjectModel
import ObjectRows
import SQLiteDriver

/// The indexes, triggers, and R-tree and full-text tables that a file contains.
///
/// They are read from SQLite's catalog. Indexes are compared by their columns: migrations keep old
/// names, and older frameworks used other names or table constraints.
struct FileMaintenance {
  private struct Index {
    let name: String
    let isUnique: Bool
    let isPartial: Bool
    /// The columns in upper case; nil for a computed value.
    var columns: [String?]
    var areDescending: [Bool]
    /// The collation of each column, in upper case.
    var collations: [String]
  }

  /// The indexes of each table, by the table's name in upper case.
  private let indexesByTable: [String: [Index]]
  /// The table, in upper case, and the definition of each trigger, by the trigger's name.
  private let triggers: [String: (table: String, definition: String)]
  /// The columns of each virtual table, all in upper case.
  let virtualColumns: [String: Set<String>]

  init(_ connection: Connection) throws(SQLiteError) {
    indexesByTable = try Self.indexes(connection)
    var triggers: [String: (table: String, definition: String)] = [:]
    for row in try connection.rows(
      "SELECT name, tbl_name, sql FROM sqlite_schema WHERE type = 'trigger'")
    {
      guard case .text(let name) = row[0], case .text(let table) = row[1],
        case .text(let definition) = row[2]
      else {
        continue
      }
      triggers[name] = (table.uppercased(), definition)
    }
    self.triggers = triggers
    var columns: [String: Set<String>] = [:]
    for row in try connection.rows(
      """
      SELECT t.name, c.name FROM sqlite_schema t, pragma_table_info(t.name) c WHERE t.type = 'table' \
      AND t.sql LIKE 'CREATE VIRTUAL TABLE %' AND (t.name LIKE 'Z_RT_%' OR t.name LIKE 'PHF_%')
      """
    ) {
      guard case .text(let table) = row[0], case .text(let column) = row[1] else { continue }
      columns[table.uppercased(), default: []].insert(column.uppercased())
    }
    virtualColumns = columns
  }

  /// SQLite's default collation, which the framework always uses.
  private static let binary = "BINARY"

  private static func indexes(_ connection: Connection) throws(SQLiteError) -> [String: [Index]] {
    var indexes: [String: [Index]] = [:]
    let rows = try connection.rows(
      """
      SELECT t.name, l.name, l."unique", l.partial, x.name, x.desc, x.seqno, x.coll
      FROM sqlite_schema t, pragma_index_list(t.name) l, pragma_index_xinfo(l.name) x
      WHERE t.type = 'table' AND t.sql NOT LIKE 'CREATE VIRTUAL%' AND x.key = 1 ORDER BY t.name, l.seq, x.seqno
      """)
    for row in rows {
      guard case .text(let table) = row[0], case .text(let name) = row[1] else { continue }
      var known = indexes[table.uppercased()] ?? []
      if row[6].integer == 0 {
        known.append(
          Index(
            name: name, isUnique: row[2].integer == 1, isPartial: row[3].integer == 1, columns: [],
            areDescending: [],
            collations: []))
      }
      guard !known.isEmpty else { continue }
      let column: String? = if case .text(let column) = row[4] { column.uppercased() } else { nil }
      known[known.count - 1].columns.append(column)
      known[known.count - 1].areDescending.append(row[5].integer == 1)
      let collation = if case .text(let name) = row[7] { name.uppercased() } else { binary }
      known[known.count - 1].collations.append(collation)
      indexes[table.uppercased()] = known
    }
    return indexes
  }

  /// The checks of derived attributes, and those that are left out because an index is missing.
  func derivedChecks(of schema: StoreSchema) -> (checks: [DerivedCheck], left: [DerivedCheck]) {
    let all = schema.derivedChecks
    return (
      all.filter { $0.index.flatMap(difference) == nil },
      all.filter { $0.index.flatMap(difference) != nil }
    )
  }

  // MARK: Indexes

  /// The difference if the file has no index with the same columns, or none that enforces
  /// uniqueness.
  func difference(for index: IndexSchema) -> LayoutDifference? {
    let known = indexesByTable[index.table.uppercased()] ?? []
    guard !known.contains(where: { Self.serves($0, index) }) else { return nil }
    let columns = index.elements.map(\.column).joined(separator: ", ")
    let wanted = "no \(index.isUnique ? "unique index" : "index") over \(columns) of \(index.table)"
    let namesake = known.first { $0.name == index.name && !Self.serves($0, index) }
    let instead =
      namesake.map { "; \($0.name) is \(Self.kind($0)) index over \(Self.names($0))" } ?? ""
    return LayoutDifference(
      table: index.table, index: columns,
      what: "\(wanted)\(instead): \(Self.meaning(index, instead: namesake))")
  }

  /// Describes the effect of an index that is missing or that another one replaces.
  private static func meaning(_ wanted: IndexSchema, instead: Index?) -> String {
    guard wanted.isUnique else { return "queries by these columns read the whole table" }
    if let instead, instead.isUnique, !instead.isPartial,
      instead.collations.contains(where: { $0 != binary })
    {
      return "it treats different texts as equal, so only one of them can be saved"
    }
    return "several rows can have the same values in these columns"
  }

  private static func kind(_ index: Index) -> String {
    let kinds = (index.isUnique ? ["unique"] : []) + (index.isPartial ? ["partial"] : [])
    return kinds.isEmpty ? "an" : "a \(kinds.joined(separator: " "))"
  }

  private static func names(_ index: Index) -> String {
    zip(index.columns, index.collations).map { column, collation in
      (column ?? "a computed value") + (collation == binary ? "" : " COLLATE \(collation)")
    }.joined(separator: ", ")
  }

  private static func serves(_ found: Index, _ wanted: IndexSchema) -> Bool {
    guard found.columns.count == wanted.elements.count else { return false }
    let hasColumns = zip(found.columns, wanted.elements).allSatisfy { column, element in
      element.column.hasPrefix("(") ? column == nil : column == element.column.uppercased()
    }
    let hasOrder = zip(found.areDescending, wanted.elements).allSatisfy {
      $0 == ($1.isAscending == false)
    }
    // A partial index does not contain every row. SQLite does not use an index with another
    // collation for a binary comparison.
    return hasColumns && hasOrder && (found.isUnique || !wanted.isUnique)
      && (!found.isPartial || wanted.condition != nil)
      && found.collations.allSatisfy { $0 == binary }
  }

  // MARK: Requirements of a model

  /// The indexes, triggers, and parts of virtual tables of a schema that the file lacks.
  ///
  /// A file need not have full-text indexes, but those that it has must be complete.
  func differences(of schema: StoreSchema) throws(StoreError) -> [LayoutDifference] {
    schema.indexes.compactMap(difference)
      + schema.joinTables.compactMap { difference(for: $0.pairIndex) }
      + spatialGaps(of: schema) + fullTextGaps(of: schema)
      + (try derivedDifferences(of: schema))
  }

  private func spatialGaps(of schema: StoreSchema) -> [LayoutDifference] {
    schema.entities.flatMap(\.spatialIndexes).flatMap { index -> [LayoutDifference] in
      guard let found = virtualColumns[index.name.uppercased()] else {
        return [
          LayoutDifference(
            table: index.table,
            what: "no table \(index.name), the index over regions of \(index.table)")
        ]
      }
      let columns = index.columnsOfRegions.filter { !found.contains($0.uppercased()) }
      return columns.map {
        .noColumn($0, in: index.name, of: "the index over regions of \(index.table)")
      }
        + index.triggers.filter { !has($0) }.map { difference(for: $0, keeping: index.name) }
    }
  }

  /// The checks of R-tree indexes that have the expected columns.
  func spatialChecks(of schema: StoreSchema) -> [SpatialCheck] {
    schema.entities.flatMap(\.spatialIndexes).filter { index in
      let found = virtualColumns[index.name.uppercased()]
      return index.columnsOfRegions.allSatisfy { found?.contains($0.uppercased()) ?? false }
    }.map(\.check)
  }

  /// Differences in the triggers of derived attributes.
  ///
  /// Only the triggers of counts are known from Apple's stores. If an attribute has triggers with
  /// other names, another program created them, and their expected form is unknown.
  private func derivedDifferences(of schema: StoreSchema) throws(StoreError) -> [LayoutDifference] {
    var expected: [(name: String, label: String, triggers: [TriggerSchema])] = []
    for entity in schema.entities {
      for attribute in DerivedAttribute.all(of: entity, in: schema) {
        let name = attribute.attribute.name
        expected.append(
          (
            "\(entity.table).\(attribute.column)", "_\(entity.name)_\(name)_",
            try attribute.triggers()
          ))
      }
    }
    let ours = Set(expected.flatMap { $0.triggers.map(\.name) })
    return expected.flatMap { name, label, wanted -> [LayoutDifference] in
      let isOthers = triggers.keys.contains {
        !ours.contains($0) && $0.hasPrefix("Z_DA_") && $0.contains(label)
      }
      return isOthers ? [] : wanted.filter { !has($0) }.map { difference(for: $0, keeping: name) }
    }
  }

  func has(_ trigger: TriggerSchema) -> Bool {
    triggers[trigger.name]?.table == trigger.table.uppercased()
  }

  /// Triggers of a schema that the file has by name, but with a different body.
  func changedTriggers(of schema: StoreSchema) throws(StoreError) -> [TriggerSchema] {
    var wanted = schema.entities.flatMap(\.spatialIndexes).flatMap(\.triggers)
    wanted += fullTextTriggers(of: schema)
    for entity in schema.entities {
      for attribute in DerivedAttribute.all(of: entity, in: schema) {
        wanted += try attribute.triggers()
      }
    }
    return wanted.filter { trigger in
      guard has(trigger), let definition = triggers[trigger.name]?.definition else { return false }
      return Self.words(definition) != Self.words(trigger.definition)
    }
  }

  /// The words of a definition, without the quotes, spaces, and letter case that renaming a table
  /// or another program may change.
  private static func words(_ definition: String) -> [Substring] {
    definition.uppercased().filter { $0 != "\"" }.split(whereSeparator: \.isWhitespace)
  }

  func difference(for trigger: TriggerSchema, keeping value: String) -> LayoutDifference {
    LayoutDifference(
      table: trigger.table,
      what:
        "no trigger \(trigger.name) on \(trigger.table), which keeps \(value) in step with its rows"
    )
  }
}
