import Foundation
import ManagedObjectModel
import ObjectRows
import PropertyLists
import SQLiteDriver

/// The steps of a migration, which share one transaction.
package enum MigrationStep: Sendable, CaseIterable {
  /// The new tables are filled; the older ones still exist.
  case copied
  /// The new tables have their final names; the older ones are dropped or set aside.
  case replaced
  /// Indexes and triggers exist; only the metadata is left to write.
  case indexed
}

/// Migrates a store to a newer version of the model, in place, with SQL alone.
///
/// One transaction contains everything, so a migration that fails leaves the store unchanged. New
/// tables are created and filled under interim names while the older ones still exist, because
/// relationships may move from one table to another.
struct StoreMigration {
  private(set) var destination: StoreSchema
  let location: StoreLocation
  let options: StoreOptions
  /// Called at each step.
  let report: (MigrationStep) throws -> Void
  /// Logs the mapping and the result.
  var logging = StatementLogging.current

  /// Migrates a store.
  ///
  /// - Parameter source: The model that wrote the store.
  func run(on connection: Connection, from source: NSManagedObjectModel, _ metadata: StoreMetadata)
    throws(StoreError)
  {
    try requireInference(from: source)
    let names = metadata.versionHashes.map { Set($0.keys) } ?? []
    var basis = SchemaBasis()
    basis.members = names
    let planned = try StoreSchema(layouts: .of(source), configuration: nil, basis: basis)
    let former = try planned.matched(to: connection, at: location)
    let mapping = MigrationMapping(from: former, to: destination)
    let values = ExternalValueFunctions(
      folder: location.externalDataFolder.map { ValueFolder(url: $0, files: options.files) })
    let begin = ContinuousClock.now
    logging.reportMigration("\(location.path): begins")
    for line in mapping.transcript { logging.reportMigration("\(location.path): \(line)") }
    do {
      try values.register(on: connection)
      try connection.setCheckpointsOnClose(true)
      try connection.execute("PRAGMA legacy_alter_table = ON")
      defer { try? connection.execute("PRAGMA legacy_alter_table = OFF") }
      try connection.transaction(.immediate) {
        // Another process may have migrated the store while this one waited.
        guard try StoreMetadata(connection, at: location) == metadata else { return }
        var earlier = DeferredCleanup(metadata)
        try earlier.performAll(on: connection)
        try RequiredValues(mapping: mapping, location: location).check(on: connection)
        try DroppedValues(mapping: mapping).release(to: values, on: connection)
        let migration = try keepingSharedMembers(mapping, connection)
        let cleanup = try migration.migrate(
          connection, MigrationMapping(from: former, to: migration.destination),
          try migration.destination.triggers())
        try migration.finish(connection, metadata, cleanup)
      }
    } catch {
      let failure = failure(error)
      logging.reportMigration(
        "\(location.path): failed and left the store as it was. \(failure.message)")
      throw failure
    }
    values.removeFiles(on: connection)
    logging.reportMigration(
      "\(location.path): done in \(StatementLogging.seconds(ContinuousClock.now - begin))s")
  }

  // MARK: Whether a mapping can be inferred

  private func requireInference(from source: NSManagedObjectModel) throws(StoreError) {
    guard options.infersMapping else {
      throw StoreError(
        .migrationMissingMappingModel,
        """
        The store \(location.path) has to be migrated, there is no mapping for it, and the \
        options do not let one be inferred.
        """,
        context: ["file": location.path])
    }
    guard let model = destination.model else { return }
    let names = Set(destination.entities.map(\.name))
    guard let refusal = ModelDifference(from: source, to: model).refusal(among: names) else {
      return
    }
    throw StoreError(
      .inferredMappingModel,
      "No mapping can be inferred for the store \(location.path). \(refusal.reasons)",
      context: refusal.context.merging(["file": location.path]) { own, _ in own })
  }

  /// The same migration, with join tables for relationships without an inverse whose members have
  /// several owners.
  private func keepingSharedMembers(_ mapping: MigrationMapping, _ connection: Connection) throws
    -> StoreMigration
  {
    let shared = try SharedMembers(mapping: mapping).relationships(on: connection)
    guard !shared.isEmpty else { return self }
    var basis = destination.basis
    basis.joinedRelationships = shared
    var migration = self
    migration.destination = try StoreSchema(
      layouts: destination.layouts, configuration: destination.configuration, basis: basis)
    return migration
  }

  // MARK: Steps

  private func migrate(
    _ connection: Connection, _ mapping: MigrationMapping, _ triggers: [TriggerSchema]
  ) throws -> DeferredCleanup {
    let file = try FileSchema(connection)
    let hadFullText = try FullTextMaintenance.removeAll(from: connection)
    let constrained = try constrainedTables(connection, mapping)
    let tables = try destination.tables.map {
      try TableMigration(
        $0, mapping, constrainedTables: constrained, keepsColumns: options.defersCleanup)
    }
    let joins = destination.tables.flatMap { table in
      table.joinTables.compactMap { join in
        table.entities.first { $0.number == join.number }.map {
          JoinMigration(join, owner: $0, mapping)
        }
      }
    }
    try dropTriggers(connection)
    try run(tables.flatMap(\.copying) + joins.flatMap(\.copying), connection)
    try report(.copied)
    try run(tables.flatMap(\.adjusting), connection)
    var cleanup = DeferredCleanup()
    try run(removals(tables, joins, mapping.source, &cleanup), connection)
    try run(renamings(tables, joins), connection)
    try report(.replaced)
    try run(dangling(mapping), connection)
    try run(tables.flatMap(\.ordering) + joins.flatMap(\.ordering), connection)
    if let layout = HistoryLayout(file) {
      try HistoryMigration(mapping: mapping, layout: layout).run(on: connection)
    }
    try renumberMirroring(connection, file, mapping)
    try MirroredNames(mapping: mapping).migrate(on: connection, file)
    try writePrimaryKeys(connection, file, mapping)
    try IndexMigration(source: mapping.source, destination: destination).run(on: connection)
    try run(triggers.map(\.definition), connection)
    try run(destination.derivedFillings(), connection)
    if hadFullText { try run(destination.fullTextIndexes.flatMap(\.creation), connection) }
    try report(.indexed)
    for table in tables { cleanup.keep(table.unusedColumns, of: table.table.name) }
    return cleanup
  }

  private func finish(
    _ connection: Connection, _ metadata: StoreMetadata, _ cleanup: DeferredCleanup
  ) throws(StoreError) {
    var changed = metadata
    cleanup.describe(in: &changed)
    changed.describe(destination)
    if let mark = options.stageMark {
      changed.entries[StoreMetadata.Key.pendingStage] = .string(mark)
    }
    try changed.write(to: connection, at: location)
    guard let model = destination.model else { return }
    try location.sqlite { () throws(SQLiteError) in
      if try connection.value("SELECT 1 FROM sqlite_schema WHERE name = 'Z_MODELCACHE'") == nil {
        try connection.execute(HousekeepingTables.modelCache)
      }
    }
    try StoredModel.write(model, to: connection, at: location)
  }

  private func run(_ statements: [String], _ connection: Connection) throws(SQLiteError) {
    for statement in statements { try connection.execute(statement) }
  }

  /// The tables whose uniqueness constraints change and whose definition contains one, as older
  /// frameworks wrote it.
  ///
  /// SQLite cannot change such a definition, so these tables are copied.
  private func constrainedTables(_ connection: Connection, _ mapping: MigrationMapping) throws
    -> Set<String>
  {
    let rows = try connection.rows(
      """
      SELECT t.name FROM sqlite_schema t, pragma_index_list(t.name) i WHERE t.type = 'table' \
      AND i.origin = 'u'
      """
    )
    let names = Set(rows.compactMap { if case .text(let name) = $0[0] { name } else { nil } })
    let changed = destination.entities.filter { entity in
      mapping.source(of: entity).map {
        $0.entity.uniquenessConstraintNames != entity.entity.uniquenessConstraintNames
      } ?? false
    }
    return names.intersection(changed.compactMap { mapping.source(of: $0)?.table })
  }

  private func dropTriggers(_ connection: Connection) throws(SQLiteError) {
    let rows = try connection.rows(
      """
      SELECT name FROM sqlite_schema WHERE type = 'trigger' AND (name LIKE 'Z\\_DA\\_%' \
      ESCAPE '\\' OR name LIKE 'Z\\_RT\\_%' ESCAPE '\\') ORDER BY name
      """
    )
    for case .text(let name)? in rows.map(\.first) {
      try connection.execute("DROP TRIGGER \(name)")
    }
  }

  private func removals(
    _ tables: [TableMigration], _ joins: [JoinMigration], _ source: StoreSchema,
    _ cleanup: inout DeferredCleanup
  ) -> [String] {
    let stay = Set(
      tables.filter(\.stays).compactMap(\.source?.name) + joins.filter(\.stays).map(\.table.name))
    let names = source.tables.map(\.name) + source.joinTables.map(\.name)
    let unused = names.filter { !stay.contains($0) }
    return (options.defersCleanup ? cleanup.setAside(unused) : unused.map { "DROP TABLE \($0)" })
      + source.entities.flatMap(\.spatialIndexes).map { "DROP TABLE IF EXISTS \($0.name)" }
  }

  private func renamings(_ tables: [TableMigration], _ joins: [JoinMigration]) -> [String] {
    tables.filter { !$0.keepsName }.map {
      "ALTER TABLE \($0.interimName) RENAME TO \($0.table.name)"
    }
      + joins.filter { !$0.stays }.map {
        "ALTER TABLE \($0.interimName) RENAME TO \($0.table.name)"
      }
  }

  /// The statements that clear references to rows that the destination's table does not contain.
  ///
  /// The entity of such a row was removed, or its rows moved to another table.
  private func dangling(_ mapping: MigrationMapping) -> [String] {
    guard !mapping.removedNumbers.isEmpty || mapping.splitsTables else { return [] }
    var statements: [String] = []
    for table in destination.tables {
      var known: Set<String> = []
      for entity in table.entities {
        for (property, column) in zip(entity.layout.properties, entity.columns) {
          guard let relationship = property as? NSRelationshipDescription, let column,
            known.insert(column.name).inserted,
            let target = relationship.destinationEntity?.name.flatMap(destination.entity(named:))?
              .table
          else { continue }
          statements.append(clearing(column, of: table.name, unlessIn: target))
        }
      }
      for owner in table.ownerColumns {
        guard let owners = destination.entity(number: owner.ownerNumber)?.table else { continue }
        statements.append(clearing(owner.column, of: table.name, unlessIn: owners))
      }
      for join in table.joinTables {
        let target =
          join.relationship.destinationEntity?.name.flatMap(destination.entity(named:))?.table
          ?? table.name
        statements.append(
          """
          DELETE FROM \(join.name) WHERE \(join.firstColumn) NOT IN (SELECT Z_PK FROM \
          \(table.name)) OR \(join.secondColumn) NOT IN (SELECT Z_PK FROM \(target))
          """
        )
      }
    }
    return statements
  }

  private func clearing(_ column: PropertyColumn, of table: String, unlessIn target: String)
    -> String
  {
    let names = [column.name, column.entityColumn, column.orderColumn].compactMap { $0 }
    let nothing = names.map { "\($0) = NULL" }.joined(separator: ", ")
    return
      """
      UPDATE \(table) SET \(nothing) WHERE \(column.name) NOT NULL AND \(column.name) NOT IN \
      (SELECT Z_PK FROM \(target))
      """
  }

  /// Updates the entity numbers in the tables of Apple's mirroring.
  private func renumberMirroring(
    _ connection: Connection, _ file: FileSchema, _ mapping: MigrationMapping
  ) throws(SQLiteError) {
    let changed = mapping.numbers.filter { $0.key != $0.value }.keys.sorted()
    guard !changed.isEmpty, file.has("ZENTITYID", in: "ANSCKRECORDMETADATA") else { return }
    let term = mapping.renumbered("ZENTITYID", among: changed)
    let list = changed.map(String.init).joined(separator: ", ")
    try connection.execute(
      "UPDATE ANSCKRECORDMETADATA SET ZENTITYID = \(term) WHERE ZENTITYID IN (\(list))")
  }

  private func writePrimaryKeys(
    _ connection: Connection, _ file: FileSchema, _ mapping: MigrationMapping
  ) throws(SQLiteError) {
    let maxima = Dictionary(
      file.primaryKeys.map { ($0.number, $0.maximum) }, uniquingKeysWith: { first, _ in first })
    for entity in mapping.source.entities {
      try connection.run(
        "DELETE FROM Z_PRIMARYKEY WHERE Z_ENT = ?", [.integer(Int64(entity.number))])
    }
    for entity in destination.entities {
      let roots = destination.entities.filter { $0.rootNumber == entity.number }
        .compactMap { mapping.source(of: $0)?.rootNumber }
      let maximum = entity.isRoot ? roots.compactMap { maxima[$0] }.max() ?? 0 : 0
      try connection.run(
        "INSERT OR REPLACE INTO Z_PRIMARYKEY (Z_ENT, Z_NAME, Z_SUPER, Z_MAX) VALUES (?, ?, ?, ?)",
        [
          .integer(Int64(entity.number)), .text(entity.name), .integer(Int64(entity.superNumber)),
          .integer(maximum),
        ])
    }
  }

  private func failure(_ error: any Error) -> StoreError {
    if let error = error as? StoreError { return error }
    guard let error = error as? SQLiteError else {
      return StoreError(
        .migration, "The store \(location.path) could not be migrated: \(error)",
        context: ["file": location.path],
        underlying: error)
    }
    guard error.code.primary == .constraint else { return StoreError(error, at: location) }
    return StoreError(
      .migrationConstraintViolation,
      """
      The store \(location.path) could not be migrated: its objects break a uniqueness \
      constraint of the new version. \(error)
      """,
      context: ["file": location.path], underlying: error)
  }
}
