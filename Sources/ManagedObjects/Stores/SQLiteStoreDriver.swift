import Foundation
import ManagedObjectModel
import ObjectRows
import SQLiteStore

/// The driver for SQLite stores.
///
/// A store at `/dev/null` is in memory.
struct SQLiteStoreDriver: StoreDriver {
  let type = NSSQLiteStoreType

  func isPrivate(_ url: URL?) -> Bool { url.map { StoreLocation($0) == .memory } ?? false }

  func open(_ plan: StorePlan) throws -> RowsOfStore {
    guard let url = plan.url, url.isFileURL else {
      throw StoreError(
        .cannotOpen,
        """
        A SQLite store needs the URL of a file, not \(plan.url?.absoluteString ?? "nil"). For \
        one in memory use /dev/null.
        """,
        context: ["url": plan.url?.absoluteString ?? ""])
    }
    if let manager = plan.options.stagedMigrationManager, !isPrivate(url),
      plan.options.migratesAutomatically, !plan.options.isReadOnly, !plan.options.ignoresVersioning
    {
      try migrate(manager, plan, url)
    }
    var opening = opening(plan, plan.layouts, at: url)
    let migration = MappingMigration(plan: plan, url: url)
    opening.findMapping = { migration.find(from: $0) }
    do {
      let opened = try opening.run()
      return RowsOfStore(rowStore: try SQLiteRowStore(opened), isReadOnly: opened.isReadOnly)
    } catch {
      throw migration.failure ?? error
    }
  }

  private func opening(
    _ plan: StorePlan, _ layouts: ModelLayouts, at url: URL, sources: [NSManagedObjectModel] = []
  ) -> StoreOpening {
    var options = StoreOptions(plan.options, plan.dependencies)
    options.joinedRelationships = plan.joinedRelationships
    var opening = StoreOpening(
      url: url, layouts: layouts, configuration: plan.configuration, options: options)
    opening.findModel = { metadata in
      sources.first {
        $0.isConfiguration(
          withName: plan.configuration, compatibleWithStoreMetadata: metadata.dictionary)
      }
        ?? SourceModels.model(
          of: metadata.dictionary, configuration: plan.configuration, plan.dependencies)
    }
    opening.hasVersions = {
      let checksum = layouts.layouts.first?.entity.model?.versionChecksum
      return plan.dependencies.modelVersions().contains { $0.versionChecksum == checksum }
    }
    return opening
  }

  /// Runs the stages of a migration that the store needs.
  private func migrate(_ manager: NSStagedMigrationManager, _ plan: StorePlan, _ url: URL) throws {
    let migration = StagedMigration(manager: manager, plan: plan, url: url) { request in
      var opening = opening(plan, .of(request.model), at: url, sources: request.sources)
      opening.options.infersMapping = true
      opening.options.stageMark = request.mark
      opening.expectedMetadata = request.metadata
      try opening.run().close()
    }
    try migration.run()
  }

  func metadata(at address: StoreAddress) throws -> [String: Any] {
    let found = try StoreFiles.metadata(at: address.url, options: StoreOptions(address))
    var metadata = found.dictionary
    metadata[NSStoreUUIDKey] = found.uuid
    metadata[NSStoreTypeKey] = type
    return metadata
  }

  func setMetadata(_ metadata: [String: Any], at address: StoreAddress) throws {
    try StoreFiles.setMetadata(metadata, at: address.url, options: StoreOptions(address))
  }

  func destroy(at address: StoreAddress) throws {
    try StoreFiles.destroy(at: address.url, options: StoreOptions(address))
  }

  func replace(at address: StoreAddress, withStoreAt source: StoreAddress) throws {
    try StoreFiles.replace(
      at: address.url, with: source.url, options: StoreOptions(address),
      sourceOptions: StoreOptions(source))
  }
}

extension StoreOptions {
  /// Converts an application's options.
  init(_ given: GivenOptions, _ dependencies: StackDependencies) {
    self.init()
    makeUUID = dependencies.makeUUID
    files = dependencies.files
    isReadOnly = given.isReadOnly
    // Infinity and NaN are not durations.
    if let seconds = given.timeoutSeconds {
      timeout = .seconds(seconds > 0 ? min(seconds, 1e9) : 0)
    }
    pragmas = Dictionary(
      given.pragmas.map { ($0.name, $0.value) }, uniquingKeysWith: { _, last in last })
    analyzes = given.analyzes
    vacuums = given.vacuums
    tracksHistory = given.keepsHistory
    migratesAutomatically = given.migratesAutomatically
    infersMapping = given.infersMapping
    defersCleanup = given.defersMigration
    ignoresVersioning = given.ignoresVersioning
    maximumConnections = given.mostConnections
    destroysByForce = given.destroysByForce
    maintainsFullTextIndex = given.maintainsFullTextIndex
    countsStatements = given.countsStatements
    debugging = .current
  }

  init(_ address: StoreAddress) { self.init(address.options, address.dependencies) }
}
