package import Foundation
package import ManagedObjectModel
package import ObjectRows
import SQLiteDriver

/// Opens the store at a URL, so that it matches its model.
///
/// ```
/// no file, empty file ──────────────▶ created ───────────┐
/// file ──▶ Z_METADATA ──▶ hashes equal ──▶ matched ──▶ opened
///             │              │ differ ──▶ migrated ──▶ hashes equal
///             │              └────────▶ rejected: 134100, or the code of a migration error
///             └─ none ──▶ rejected: no Core Data store
/// ```
///
/// Opening writes only what the options ask for, such as a new store, a migration, or the tables of
/// the history.
package struct StoreOpening {
  package let location: StoreLocation
  package let layouts: ModelLayouts
  package let configuration: String?
  package var options: StoreOptions
  /// Finds the model version that wrote a store, by the store's metadata.
  ///
  /// The store's own copy of the model is the fallback.
  package var findModel: ((StoreMetadata) throws -> NSManagedObjectModel?)?
  /// Whether the program has versions of the model, so that a version that only the store knows is
  /// a newer one.
  ///
  /// A migration from such a version is rejected if it would remove entities or properties.
  package var hasVersions: (() -> Bool)?
  /// Finds a closure that migrates the store with a mapping model, given the model that wrote it.
  ///
  /// The closure writes the migrated store at the URL that it receives. If there is no closure, the
  /// mapping is inferred.
  package var findMapping: ((NSManagedObjectModel) throws -> ((URL) throws -> Void)?)?
  /// The metadata with which a migration may begin; nil for any.
  ///
  /// The caller decided on the migration when it read them. Another process may have migrated the
  /// store since, perhaps to a later version.
  package var expectedMetadata: StoreMetadata?
  /// Called at each step of a migration, inside its transaction.
  package var whileMigrating: ((MigrationStep) throws -> Void)?

  package init(
    url: URL, layouts: ModelLayouts, configuration: String? = nil,
    options: StoreOptions = StoreOptions()
  ) {
    location = StoreLocation(url)
    self.layouts = layouts
    self.configuration = configuration
    self.options = options
  }

  /// Opens the store.
  package func run() throws(StoreError) -> OpenedStore {
    let planned = try StoreSchema(layouts: layouts, configuration: configuration)
    let connections = StoreConnections(
      location: location, options: options, trustsSchema: planned.needsTrustedSchema)
    guard case .file(let url) = location else { return try make(newSchema(), connections) }
    let file = try StoreFile(at: url, files: options.files)
    if !file.exists || file.bytes == 0 {
      return try makeFile(at: url, file, newSchema(), connections)
    }
    guard file.hasHeader else {
      throw StoreError(
        .notAStore, "\(url.path) is not a SQLite database.", context: ["file": url.path])
    }
    return try openFile(file, planned, connections)
  }

  // MARK: New stores

  private func newSchema() throws(StoreError) -> StoreSchema {
    var basis = SchemaBasis()
    basis.joinedRelationships = options.joinedRelationships
    return try StoreSchema(layouts: layouts, configuration: configuration, basis: basis)
  }

  private func makeFile(
    at url: URL, _ file: StoreFile, _ planned: StoreSchema, _ connections: StoreConnections
  ) throws(StoreError) -> OpenedStore {
    guard !options.isReadOnly, !options.isSnapshot else {
      throw StoreError(
        file.exists ? .notAStore : .fileNotFound,
        "There is no store at \(url.path), and a read-only one is not created.",
        context: ["file": url.path])
    }
    return try make(planned, connections)
  }

  private func make(_ planned: StoreSchema, _ connections: StoreConnections) throws(StoreError)
    -> OpenedStore
  {
    let connection = try connections.writer()
    try StoreCreation(schema: planned, connections: connections).run(on: connection)
    return try finish(connection, .write, planned, connections)
  }

  // MARK: Existing stores

  private func openFile(
    _ file: StoreFile, _ planned: StoreSchema, _ connections: StoreConnections
  ) throws(StoreError) -> OpenedStore {
    let access = FileAccess(file, options: options)
    let connection = try connections.connection(access)
    try location.requireStore(connection, isWritable: access == .write) { () throws(StoreError) in
      try StoreCreation(schema: planned, connections: connections).run(on: connection)
    }
    try checkIntegrity(of: connection)
    return try finish(connection, access, planned, connections)
  }

  /// Throws for a corrupt file if a launch argument requests the check.
  private func checkIntegrity(of connection: Connection) throws(StoreError) {
    guard options.debugging.checksIntegrity else { return }
    let issues = try location.sqlite { () throws(SQLiteError) in try connection.issues(.full) }
    guard !issues.isEmpty else { return }
    throw StoreError(
      .notAStore,
      """
      The store \(location.path) is damaged: \(issues.joined(separator: "; ")). \
      Restore a backup, or recover its rows with SQLite's shell. (The launch argument \
      -com.apple.CoreData.SQLiteIntegrityCheck asks for this check.)
      """,
      context: ["file": location.path])
  }

  /// Checks that the store matches the model, migrates it if necessary, and describes it.
  private func finish(
    _ connection: Connection, _ access: FileAccess, _ planned: StoreSchema,
    _ connections: StoreConnections
  ) throws(StoreError) -> OpenedStore {
    if access == .write { CopyMigration.removeRemains(beside: location, connection, options.files) }
    var metadata = try StoreMetadata(connection, at: location)
    let compatibility = try compatibility(connection, metadata, planned)
    if !options.ignoresVersioning, !compatibility.isCompatible {
      guard options.migratesAutomatically else { throw compatibility.refusal(of: location) }
      if let expectedMetadata, metadata != expectedMetadata { throw migratedElsewhere }
      try migrate(connection, access, metadata, planned, compatibility)
      metadata = try StoreMetadata(connection, at: location)
      // The transaction changes nothing if another process was first.
      if try !self.compatibility(connection, metadata, planned).isCompatible {
        throw migratedElsewhere
      }
    }
    let schema = try planned.matched(to: connection, at: location)
    return try describe(connection, access, metadata, schema, connections)
  }

  private func compatibility(
    _ connection: Connection, _ metadata: StoreMetadata, _ planned: StoreSchema
  ) throws(StoreError) -> StoreCompatibility {
    try StoreCompatibility(metadata, schema: planned) { () throws(StoreError) in
      try StoredModel.read(connection, at: location)
    }
  }

  private var migratedElsewhere: StoreError {
    StoreError(
      .migratedElsewhere,
      """
      Another program changed the store \(location.path) before it could be migrated, so it was \
      left unchanged. Add it again.
      """,
      context: ["file": location.path])
  }

  private func migrate(
    _ connection: Connection, _ access: FileAccess, _ metadata: StoreMetadata,
    _ planned: StoreSchema,
    _ compatibility: StoreCompatibility
  ) throws(StoreError) {
    guard access == .write else {
      throw StoreError(
        .migration,
        """
        The store \(location.path) was written with another version of the model and cannot \
        be migrated, since it is opened for reading.
        """,
        context: ["file": location.path],
        underlying: StoreError(.readOnly, "The store \(location.path) is opened for reading only."))
    }
    var source = try knownModel(metadata)
    if source == nil { source = try unknownModel(connection, metadata, compatibility) }
    guard let source else {
      throw StoreError(
        .migrationMissingSourceModel,
        """
        The store \(location.path) has to be migrated, but no model is known that fits it, \
        and it keeps none itself. Ship every version of the model.
        """,
        context: ["file": location.path], underlying: compatibility.refusal(of: location))
    }
    if try migrateWithMapping(connection, from: source, metadata, planned) { return }
    let migration = StoreMigration(
      destination: planned, location: location, options: options, report: whileMigrating ?? { _ in }
    )
    try migration.run(on: connection, from: source, metadata)
  }

  /// The program's model that wrote a store.
  private func knownModel(_ metadata: StoreMetadata) throws(StoreError) -> NSManagedObjectModel? {
    do {
      return try findModel?(metadata)
    } catch {
      throw StoreError(
        .migrationMissingSourceModel, "The models of other versions cannot be read: \(error)",
        context: ["file": location.path], underlying: error)
    }
  }

  /// Migrates with a mapping model, and returns whether there is one.
  private func migrateWithMapping(
    _ connection: Connection, from source: NSManagedObjectModel, _ metadata: StoreMetadata,
    _ planned: StoreSchema
  ) throws(StoreError) -> Bool {
    do {
      guard let write = try findMapping?(source) else { return false }
      let migration = CopyMigration(
        location: location, options: options, destination: planned,
        report: whileMigrating ?? { _ in })
      try migration.run(on: connection, from: source, metadata, write: write)
      return true
    } catch let error as StoreError {
      throw error
    } catch let error as SQLiteError {
      throw StoreError(error, at: location)
    } catch {
      throw StoreError(
        .migration, "The store \(location.path) could not be migrated: \(error)",
        context: ["file": location.path], underlying: error)
    }
  }

  /// The store's own copy of the model that wrote it, which the program does not know.
  ///
  /// Throws if the program has versions of the model, and its current one lacks an entity or a
  /// property of the copy.
  private func unknownModel(
    _ connection: Connection, _ metadata: StoreMetadata, _ compatibility: StoreCompatibility
  ) throws(StoreError) -> NSManagedObjectModel? {
    guard let stored = try storedModel(connection, metadata) else { return nil }
    guard hasVersions?() == true, let model = layouts.layouts.first?.entity.model else {
      return stored
    }
    let isLost = ModelDifference(from: stored, to: model).changes.contains {
      [.entityRemoved, .propertyRemoved].contains($0.kind)
    }
    if isLost { throw compatibility.refusal(of: location) }
    return stored
  }

  private func storedModel(
    _ connection: Connection, _ metadata: StoreMetadata
  ) throws(StoreError) -> NSManagedObjectModel? {
    guard let stored = try StoredModel.read(connection, at: location) else { return nil }
    let fits = metadata.versionHashes?.allSatisfy { name, hash in
      stored.entitiesByName[name].map { !$0.isVersionHashCertain || $0.versionHash == hash }
        ?? false
    }
    return fits == true ? stored : nil
  }

  private func describe(
    _ connection: Connection, _ access: FileAccess, _ metadata: StoreMetadata,
    _ schema: StoreSchema,
    _ connections: StoreConnections
  ) throws(StoreError) -> OpenedStore {
    let upkeep = StoreMaintenance(schema: schema, connections: connections)
    let isWritable = access == .write
    let state = try upkeep.run(on: connection, isWritable: isWritable)
    return OpenedStore(
      location: location, options: options, schema: schema,
      identity: StoreIdentity(uuid: metadata.uuid),
      metadata: metadata, history: state.history, fullTextIndexes: state.fullTextIndexes,
      readOnlyReason: access.readOnlyReason ?? state.readOnlyReason,
      connection: connection, makeReader: reader(access, connections),
      readsWhileWriting: state.journalMode == .wal || state.journalModeForWriting == .wal,
      journalModeForWriting: state.journalModeForWriting)
  }

  private func reader(
    _ access: FileAccess, _ connections: StoreConnections
  ) -> (@Sendable () throws(StoreError) -> Connection)? {
    guard case .file = location else { return nil }
    switch access {
    case .write, .read, .readRolledBack:
      return { () throws(StoreError) in try connections.reader(isImmutable: false) }
    case .readUnlocked:
      return { () throws(StoreError) in try connections.reader(isImmutable: true) }
    case .readCopy: return nil
    }
  }
}

extension StoreLocation {
  /// Checks that a database is a Core Data store; fills it if it is empty and writable.
  func requireStore(
    _ connection: Connection, isWritable: Bool, fill: () throws(StoreError) -> Void
  ) throws(StoreError) {
    let tables = try sqlite { () throws(SQLiteError) in
      try connection.rows("SELECT name FROM sqlite_schema WHERE type = 'table' ORDER BY name")
        .compactMap { if case .text(let name) = $0[0] { name } else { nil } }
    }
    if tables.contains("Z_METADATA") { return }
    if tables.isEmpty, isWritable { return try fill() }
    let found =
      tables.isEmpty ? "no tables" : "the tables \(tables.prefix(8).joined(separator: ", "))"
    throw StoreError(
      .notAStore,
      "\(path) is an SQLite database but no Core Data store: it has \(found), and no Z_METADATA.",
      context: ["file": path])
  }
}
