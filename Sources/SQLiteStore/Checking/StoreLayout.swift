package import ManagedObjectModel
package import ObjectRows
import SQLiteDriver

/// How the file of a store is laid out, beside how a model wants it.
package struct StoreLayout {
  /// The schema with the file's names and numbers.
  package let schema: StoreSchema
  /// Tables and columns that the model needs: where one is missing, the store cannot be opened.
  package let missing: [LayoutDifference]
  /// Indexes, triggers and tables of regions: where one is missing, the store can be read, but not
  /// well or not written rightly.
  package let upkeepGaps: [LayoutDifference]
  /// Triggers of the model's that are there with another text than the model asks for.
  package let changedTriggers: [TriggerSchema]
  /// How to find derived values that are out of date, and those for which that would take too long
  /// for want of an index.
  package let derivedChecks: (checks: [DerivedCheck], left: [DerivedCheck])
  /// How to find rows that an index over regions has wrongly.
  package let spatialChecks: [SpatialCheck]
}

extension StoreSnapshot {
  /// The tables and columns of the file.
  package func fileSchema() throws(StoreError) -> FileSchema {
    try location.sqlite { () throws(SQLiteError) in try FileSchema(connection) }
  }

  /// How the file is laid out for a model that has the store's entities.
  ///
  /// Entities of the model that the store does not have are left out.
  package func layout(of model: NSManagedObjectModel) throws(StoreError) -> StoreLayout {
    let matching = SchemaMatching(
      planned: try plannedSchema(of: model), file: try fileSchema(), location: location)
    let (schema, missing) = try matching.find()
    guard missing.isEmpty else {
      return StoreLayout(
        schema: schema, missing: missing, upkeepGaps: [], changedTriggers: [],
        derivedChecks: ([], []),
        spatialChecks: [])
    }
    let upkeep = try location.sqlite { () throws(SQLiteError) in try FileMaintenance(connection) }
    return StoreLayout(
      schema: schema, missing: [], upkeepGaps: try upkeep.gaps(of: schema),
      changedTriggers: try upkeep.changedTriggers(of: schema),
      derivedChecks: upkeep.derivedChecks(of: schema),
      spatialChecks: upkeep.spatialChecks(of: schema))
  }

  /// What is missing of the tables that every store has, and of those of the history where the
  /// store has one.
  package func systemGaps() throws(StoreError) -> [LayoutDifference] {
    let file = try fileSchema()
    let upkeep = try location.sqlite { () throws(SQLiteError) in try FileMaintenance(connection) }
    return HousekeepingTables.gaps(in: file, framework: metadata.frameworkVersion)
      + HistoryTables.gaps(in: file, upkeep) + keyGaps(in: file)
  }

  /// The tables that every store has, or the history, whose keys are plain numbers.
  private func keyGaps(in file: FileSchema) -> [LayoutDifference] {
    let tables =
      [("Z_PRIMARYKEY", "Z_ENT")]
      + ["ACHANGE", "ATRANSACTION", "ATRANSACTIONSTRING"].map { ($0, "Z_PK") }
    return tables.compactMap { file.keyGap($1, in: $0) }
  }
}

extension HousekeepingTables {
  /// The framework from which on every store that was seen keeps a table for its model: 519 made
  /// none, 637 did.
  private static let frameworkWithModelCache = 637

  static func gaps(in file: FileSchema, framework: Int?) -> [LayoutDifference] {
    let hasCache = file.hasTable("Z_MODELCACHE") || framework ?? 0 >= frameworkWithModelCache
    return file.gaps(
      ["Z_ENT", "Z_NAME", "Z_SUPER", "Z_MAX"], in: "Z_PRIMARYKEY", of: "every store")
      + file.gaps(["Z_VERSION", "Z_UUID", "Z_PLIST"], in: "Z_METADATA", of: "every store")
      + (hasCache
        ? file.gaps(["Z_CONTENT"], in: "Z_MODELCACHE", of: "the store's copy of its model") : [])
  }
}

extension HistoryTables {
  /// What is missing of the history's tables; nothing where the store never had a history.
  ///
  /// The layout of 2017 has neither keys of texts nor a table for them, and its indexes are not
  /// known.
  static func gaps(in file: FileSchema, _ upkeep: FileMaintenance) -> [LayoutDifference] {
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
    var gaps = file.gaps(
      head + ["ZCHANGETYPE", "ZENTITY", "ZENTITYPK", "ZTRANSACTIONID"]
        + (isInterned ? ["ZCOLUMNS"] : []),
      in: "ACHANGE", of: "the history")
    gaps += file.gaps(
      head + ["ZTIMESTAMP"] + HistoryText.allCases.map(\.column) + (isInterned ? keys : []),
      in: "ATRANSACTION",
      of: "the history")
    guard isInterned else { return gaps }
    gaps += file.gaps(head + ["ZNAME"], in: "ATRANSACTIONSTRING", of: "the history")
    gaps += tombstoneGaps(in: file)
    let missing = Set(gaps.map { [$0.table, $0.column ?? ""] })
    return gaps
      + indexes.filter { index in
        !missing.contains([index.table, ""])
          && !index.elements.contains { missing.contains([index.table, $0.column]) }
      }.compactMap(upkeep.gap)
  }

  /// The columns for values of deleted rows are counted from 0.
  private static func tombstoneGaps(in file: FileSchema) -> [LayoutDifference] {
    let numbers = (file.columns(of: "ACHANGE") ?? []).compactMap { column in
      column.hasPrefix("ZTOMBSTONE") ? Int(column.dropFirst("ZTOMBSTONE".count)) : nil
    }
    guard let last = numbers.max(), last < Limits.columns else { return [] }
    return file.gaps((0...last).map(tombstoneColumn), in: "ACHANGE", of: "the history")
  }
}
