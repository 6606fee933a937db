package import ManagedObjectModel
package import ObjectRows
import SQLiteDriver

/// The layout of a store's file, compared with what a model expects.
package struct StoreLayout {
  /// The schema with the file's names and numbers.
  package let schema: StoreSchema
  /// Tables and columns that the model needs.
  ///
  /// If one is missing, the store cannot open.
  package let missing: [LayoutDifference]
  /// Names and forms that differ from those of a new store.
  ///
  /// The store can be read and written in spite of them.
  package let deviations: [LayoutDifference]
  /// Missing indexes, triggers, and R-tree tables, and missing columns of virtual tables.
  ///
  /// The store can still be read without them, but slowly, and saves may leave wrong values.
  package let maintenanceDifferences: [LayoutDifference]
  /// Triggers of the model whose body in the file differs.
  package let changedTriggers: [TriggerSchema]
  /// The checks that find stale derived values, and those that would take too long because an index
  /// is missing.
  package let derivedChecks: (checks: [DerivedCheck], left: [DerivedCheck])
  /// The checks that find wrong entries of R-tree indexes.
  package let spatialChecks: [SpatialCheck]
  /// The checks that find wrong entries of full-text indexes.
  package let fullTextChecks: [FullTextCheck]
}

extension StoreSnapshot {
  /// The tables and columns of the file.
  package func fileSchema() throws(StoreError) -> FileSchema {
    try location.sqlite { () throws(SQLiteError) in try FileSchema(connection) }
  }

  /// The file's layout for a model that has the store's entities.
  ///
  /// Entities of the model that the store does not have are left out.
  package func layout(of model: NSManagedObjectModel) throws(StoreError) -> StoreLayout {
    let matching = SchemaMatching(
      planned: try plannedSchema(of: model), file: try fileSchema(), location: location)
    let found = try matching.find()
    let (schema, missing) = (found.schema, found.missing)
    guard missing.isEmpty else {
      return StoreLayout(
        schema: schema, missing: missing, deviations: found.deviations, maintenanceDifferences: [],
        changedTriggers: [],
        derivedChecks: ([], []),
        spatialChecks: [], fullTextChecks: [])
    }
    let upkeep = try location.sqlite { () throws(SQLiteError) in try FileMaintenance(connection) }
    return StoreLayout(
      schema: schema, missing: [], deviations: found.deviations,
      maintenanceDifferences: try upkeep.differences(of: schema),
      changedTriggers: try upkeep.changedTriggers(of: schema),
      derivedChecks: upkeep.derivedChecks(of: schema),
      spatialChecks: upkeep.spatialChecks(of: schema),
      fullTextChecks: upkeep.fullTextChecks(of: schema))
  }

  /// Missing parts of the tables that every store has, and of the history's tables if the store has
  /// a history.
  package func systemDifferences() throws(StoreError) -> [LayoutDifference] {
    let file = try fileSchema()
    let upkeep = try location.sqlite { () throws(SQLiteError) in try FileMaintenance(connection) }
    return HousekeepingTables.differences(in: file, framework: metadata.frameworkVersion)
      + HistoryTables.differences(in: file, upkeep) + keyDifferences(in: file)
  }

  /// The tables of every store, and of the history, whose integer primary key is missing.
  private func keyDifferences(in file: FileSchema) -> [LayoutDifference] {
    let tables =
      [("Z_PRIMARYKEY", "Z_ENT")]
      + ["ACHANGE", "ATRANSACTION", "ATRANSACTIONSTRING"].map { ($0, "Z_PK") }
    return tables.compactMap { file.keyDifference($1, in: $0) }
  }
}

extension HousekeepingTables {
  /// The first known framework version whose stores always have a table for their model.
  ///
  /// Version 519 made none; version 637 did.
  private static let frameworkWithModelCache = 637

  static func differences(in file: FileSchema, framework: Int?) -> [LayoutDifference] {
    let hasCache = file.hasTable("Z_MODELCACHE") || framework ?? 0 >= frameworkWithModelCache
    return file.differences(
      ["Z_ENT", "Z_NAME", "Z_SUPER", "Z_MAX"], in: "Z_PRIMARYKEY", of: "every store")
      + file.differences(["Z_VERSION", "Z_UUID", "Z_PLIST"], in: "Z_METADATA", of: "every store")
      + (hasCache
        ? file.differences(["Z_CONTENT"], in: "Z_MODELCACHE", of: "the store's copy of its model")
        : [])
  }
}

extension HistoryTables {
  /// Missing parts of the history's tables; empty if the store never had a history.
  ///
  /// The layout of 2017 has no keys of texts and no table for them, and its indexes are not known.
  static func differences(in file: FileSchema, _ upkeep: FileMaintenance) -> [LayoutDifference] {
    let tables = ["ACHANGE", "ATRANSACTION", "ATRANSACTIONSTRING"]
    let counters = Set(entities.map(\.0))
    guard
      tables.contains(where: file.hasTable)
        || file.primaryKeys.contains(where: { counters.contains($0.number) })
    else { return [] }
    let keys = HistoryText.allCases.map(\.keyColumn)
    let isInterned =
      file.hasTable("ATRANSACTIONSTRING") || keys.contains { file.has($0, in: "ATRANSACTION") }
      || !file.hasTable("ATRANSACTION")
    let head = ["Z_PK", "Z_ENT", "Z_OPT"]
    var differences = file.differences(
      head + ["ZCHANGETYPE", "ZENTITY", "ZENTITYPK", "ZTRANSACTIONID"]
        + (isInterned ? ["ZCOLUMNS"] : []),
      in: "ACHANGE", of: "the history")
    differences += file.differences(
      head + ["ZTIMESTAMP"] + HistoryText.allCases.map(\.column) + (isInterned ? keys : []),
      in: "ATRANSACTION",
      of: "the history")
    guard isInterned else { return differences }
    differences += file.differences(head + ["ZNAME"], in: "ATRANSACTIONSTRING", of: "the history")
    differences += tombstoneDifferences(in: file)
    let missing = Set(differences.map { [$0.table, $0.column ?? ""] })
    return differences
      + indexes.filter { index in
        !missing.contains([index.table, ""])
          && !index.elements.contains { missing.contains([index.table, $0.column]) }
      }.compactMap(upkeep.difference)
  }

  /// The missing columns for values of deleted rows, which are numbered from 0.
  private static func tombstoneDifferences(in file: FileSchema) -> [LayoutDifference] {
    let numbers = (file.columns(of: "ACHANGE") ?? []).compactMap { column in
      column.hasPrefix("ZTOMBSTONE") ? Int(column.dropFirst("ZTOMBSTONE".count)) : nil
    }
    guard let last = numbers.max(), last < Limits.columns else { return [] }
    return file.differences((0...last).map(tombstoneColumn), in: "ACHANGE", of: "the history")
  }
}
