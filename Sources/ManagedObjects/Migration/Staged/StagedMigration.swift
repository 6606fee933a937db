import Foundation
import ManagedObjectModel
import ObjectRows
import PropertyLists
import SQLiteStore

/// Runs the stages of a migration on one store, before the store opens with its own model.
///
/// Each lightweight migration is one transaction. A custom stage has three steps: the first
/// handler, a lightweight migration, and the second handler. After each step, the store is
/// consistent. No lock spans the steps, so each step checks that no other process has migrated the
/// store further.
///
/// | state of the store | the next opening |
/// |---|---|
/// | version before the stage | calls the first handler, again if it was interrupted |
/// | version after the stage, with a mark in the metadata | calls the second handler |
/// | version after the stage, without the mark | continues with the next stage |
struct StagedMigration {
  let manager: NSStagedMigrationManager
  let plan: StorePlan
  let url: URL
  /// Opens the store, with a lightweight migration to a model, and closes it.
  let migrateStore: (Request) throws -> Void

  /// A lightweight migration of the store.
  struct Request {
    let model: NSManagedObjectModel
    let sources: [NSManagedObjectModel]
    /// The mark for the metadata: it names the stage whose second handler must still run.
    var mark: String?
    /// The metadata that the store must still have: another process may have migrated it
    /// meanwhile.
    let metadata: StoreMetadata
  }

  /// Runs the stages that the store needs; does nothing if there is no store yet.
  func run() throws {
    guard let snapshot = try existingStore() else { return }
    let pending = pendingStage(snapshot)
    let steps = try steps(snapshot)
    let models = try Dictionary(steps.flatMap(models)) { first, _ in first }
    // No connection stays open while handlers use the store.
    try snapshot.close()
    if let pending { try finish(pending) }
    for step in steps { try run(step, models) }
  }

  /// The steps to the coordinator's version; none if the store has it already.
  private func steps(_ snapshot: StoreSnapshot) throws -> [StagedVersions.Step] {
    if try snapshot.fits(plan.model, configuration: plan.configuration) { return [] }
    let migration = try StagedMigrationPlan(
      manager.versions, store: checksum(of: snapshot), destination: plan.model.versionChecksum,
      at: url.path
    ) { index in
      try isVersion(index, of: snapshot)
    }
    return migration.steps
  }

  /// Whether the store has the entities of a version.
  private func isVersion(_ index: Int, of snapshot: StoreSnapshot) throws -> Bool {
    // A version without the configuration does not fit.
    try version(at: index).flatMap {
      try? snapshot.fits($0, configuration: plan.configuration)
    } ?? false
  }

  /// The store's metadata, if the store's version is still before the target version.
  ///
  /// Another process may have migrated the store while this one was between two steps.
  private func metadata(before target: Int) throws -> StoreMetadata? {
    guard let snapshot = try existingStore() else { return nil }
    defer { try? snapshot.close() }
    var now = checksum(of: snapshot).flatMap { manager.versions.index(of: $0) }
    if now == nil {
      now = try manager.versions.checksums.indices.first { index in
        try isVersion(index, of: snapshot)
      }
    }
    return now.flatMap { $0 < target ? snapshot.metadata : nil }
  }

  private func existingStore() throws -> StoreSnapshot? {
    let files = plan.dependencies.files
    guard case .file(let bytes)? = files.kind(of: url), bytes > 0 else { return nil }
    var options = StoreOptions()
    options.files = files
    do {
      return try StoreSnapshot(at: url, options: options)
    } catch {
      // Opening reports what is wrong with the file.
      guard error.code == .notAStore else { throw error }
      return nil
    }
  }

  private func checksum(of snapshot: StoreSnapshot) -> String? {
    if case .string(let checksum)? = snapshot.metadata.entries[StoreMetadata.Key.checksum] {
      return checksum
    }
    return snapshot.metadata.versionHashes.map(NSManagedObjectModel.versionChecksum)
  }

  // MARK: Models

  /// The model of a version, if a stage, the coordinator or a bundle of the program has it.
  private func version(at index: Int) throws -> NSManagedObjectModel? {
    let checksum = manager.versions.checksums[index]
    if checksum == plan.model.versionChecksum { return plan.model }
    let references = manager.stages.compactMap { $0 as? NSCustomMigrationStage }
      .flatMap { [$0.currentModel, $0.nextModel] }
    if let reference = references.first(where: { $0.versionChecksum == checksum }) {
      return try reference.resolve()
    }
    return plan.dependencies.modelVersions().first { $0.versionChecksum == checksum }
  }

  /// The models of a step, by version; all are found before the store changes.
  private func models(of step: StagedVersions.Step) throws -> [(Int, NSManagedObjectModel)] {
    switch step {
    case .lightweight(let index): [(index, try required(index))]
    case .custom(let stage, let index):
      [(index - 1, try stage.currentModel.resolve()), (index, try required(index))]
    }
  }

  private func required(_ index: Int) throws -> NSManagedObjectModel {
    if let model = try version(at: index) { return model }
    let checksum = manager.versions.checksums[index]
    throw StoreError(
      .modelReferenceNotFound,
      """
      The staged migration of the store \(url.path) needs the model version \(checksum), \
      which no custom stage references.
      """,
      context: ["file": url.path, "versionChecksum": checksum])
  }

  // MARK: Steps

  private func run(_ step: StagedVersions.Step, _ models: [Int: NSManagedObjectModel]) throws {
    switch step {
    case .lightweight(let index):
      guard let model = models[index] else { return }
      _ = try migrate(to: model, Array(models.values), index)
    case .custom(let stage, let index):
      guard let source = models[index - 1], let model = models[index],
        try metadata(before: index) != nil
      else { return }
      if let handler = stage.willMigrateHandler { try call(handler, of: stage, source) }
      let mark = stage.didMigrateHandler == nil ? nil : Self.mark(of: stage)
      guard try migrate(to: model, [source], mark: mark, index) else { return }
      if let handler = stage.didMigrateHandler {
        try call(handler, of: stage, model)
        try removeMark(of: stage)
      }
    }
  }

  /// Migrates the store to a version, and returns false if another process has done so.
  private func migrate(
    to model: NSManagedObjectModel, _ sources: [NSManagedObjectModel], mark: String? = nil,
    _ index: Int
  ) throws -> Bool {
    while let metadata = try metadata(before: index) {
      do {
        try migrateStore(Request(model: model, sources: sources, mark: mark, metadata: metadata))
        return true
      } catch let error as StoreError where error.code == .migratedElsewhere {
        // The loop reads the store's version again.
        continue
      }
    }
    return false
  }

  /// Calls a handler while the manager has a container with the store.
  private func call(
    _ handler: (NSStagedMigrationManager, NSCustomMigrationStage) throws -> Void,
    of stage: NSCustomMigrationStage, _ model: NSManagedObjectModel
  ) throws {
    let container = StackDependencies.$current.withValue(plan.dependencies) {
      NSPersistentContainer(
        name: url.deletingPathExtension().lastPathComponent, managedObjectModel: model)
    }
    let coordinator = container.persistentStoreCoordinator
    let store = try coordinator.addPersistentStore(
      ofType: NSSQLiteStoreType, configurationName: plan.configuration, at: url,
      options: plan.options.withoutMigration)
    manager.setContainer(container)
    defer { manager.setContainer(nil) }
    do {
      try handler(manager, stage)
    } catch {
      try? coordinator.remove(store)
      throw StoreError(
        .stagedMigration,
        """
        A handler of \(stage.nameForMessages) failed, so the migration of the store \
        \(url.path) stopped: \(error.localizedDescription)
        """,
        context: ["file": url.path], underlying: error)
    }
    try coordinator.remove(store)
  }

  // MARK: Marks

  private static func mark(of stage: NSCustomMigrationStage) -> String {
    "\(stage.currentModel.versionChecksum) \(stage.nextModel.versionChecksum)"
  }

  /// The custom stage whose second handler has not completed.
  private func pendingStage(_ snapshot: StoreSnapshot) -> NSCustomMigrationStage? {
    guard case .string(let mark)? = snapshot.metadata.entries[StoreMetadata.Key.pendingStage]
    else { return nil }
    let checksums = mark.split(separator: " ").map(String.init)
    guard checksums.count == 2,
      let stage = manager.versions.customStage(from: checksums[0], to: checksums[1])
    else { return nil }
    if checksum(of: snapshot) == checksums[1] { return stage }
    // The checksum of a store may cover only a configuration.
    guard let model = try? stage.nextModel.resolve(),
      (try? snapshot.fits(model, configuration: plan.configuration)) == true
    else { return nil }
    return stage
  }

  private func finish(_ stage: NSCustomMigrationStage) throws {
    if let handler = stage.didMigrateHandler {
      try call(handler, of: stage, try stage.nextModel.resolve())
    }
    try removeMark(of: stage)
  }

  /// Removes the mark of a stage, unless another process has begun the next stage.
  private func removeMark(of stage: NSCustomMigrationStage) throws {
    var options = StoreOptions()
    options.files = plan.dependencies.files
    try StoreFiles.changeMetadata(at: url, options: options) { metadata in
      var changed = metadata
      if metadata.entries[StoreMetadata.Key.pendingStage] == .string(Self.mark(of: stage)) {
        changed.entries[StoreMetadata.Key.pendingStage] = nil
      }
      return changed
    }
  }
}
