import Foundation
import ManagedObjectModel
import ObjectRows

/// One migration by a manager: opens both stores, makes the passes, and saves.
struct ManagedMigration {
  let manager: NSMigrationManager
  let mapping: NSMappingModel
  let source: MigrationPlace
  let destination: MigrationPlace

  func run() throws {
    guard manager.state == nil else {
      throw cocoaError(
        NSMigrationError,
        "A migration manager cannot start a migration within another. Use a second manager.")
    }
    manager.forgetCancellation()
    manager.setProgress(0)
    try requireFit()
    if try migratesByStore() { return manager.setProgress(1) }
    try requireUnmirrored()
    try migrateObjects()
    manager.setProgress(1)
  }

  // MARK: Before the migration

  private func requireFit() throws {
    let fit = MappingFit(mapping, from: manager.sourceModel, to: manager.destinationModel)
    guard !fit.problems.isEmpty else { return }
    throw cocoaError(
      NSMigrationError,
      "The mapping model does not fit the models. \(fit.problems.joined(separator: " "))")
  }

  /// Migrates a SQLite store with SQL, if the mapping was inferred.
  private func migratesByStore() throws -> Bool {
    guard manager.usesStoreSpecificMigrationManager, mapping.isInferred,
      source.type == destination.type,
      let driver = try StoreDrivers.driver(ofType: source.type) as? any SelfMigratingDriver,
      isOfSourceModel()
    else { return false }
    return try driver.migrate(
      from: source, to: destination, sourceModel: manager.sourceModel,
      destinationModel: manager.destinationModel)
  }

  /// Whether the source store was written with the source model, according to its metadata.
  ///
  /// If not, opening it for the migration of its objects reports the difference.
  private func isOfSourceModel() -> Bool {
    // The driver reports a store that cannot be read.
    guard
      let metadata = try? NSPersistentStoreCoordinator.metadataForPersistentStore(
        ofType: source.type, at: source.url, options: source.options),
      let hashes = metadata[NSStoreModelVersionHashesKey] as? [String: Data]
    else { return true }
    let entities = manager.sourceModel.entitiesByName
    return hashes.allSatisfy { name, hash in
      guard let entity = entities[name] else { return false }
      return !entity.isVersionHashCertain || entity.versionHash == hash
    }
  }

  private func requireUnmirrored() throws {
    guard let driver = try StoreDrivers.driver(ofType: source.type) as? any SelfMigratingDriver,
      let reason = try driver.reasonAgainstCopying(source)
    else { return }
    throw StoreError(.migration, reason, context: ["file": source.url.path])
  }

  // MARK: The migration

  private func migrateObjects() throws {
    let existed = StackDependencies.current.files.itemExists(at: destination.url)
    let state = MigrationState(
      mapping, source: MigrationStack(manager.sourceModel),
      destination: MigrationStack(manager.destinationModel))
    manager.state = state
    defer {
      manager.reset()
      manager.state = nil
      state.close()
    }
    do {
      try open(state.source, source, NSMigrationManagerSourceStoreError, "source")
      try open(
        state.destination, destination, NSMigrationManagerDestinationStoreError, "destination")
      try makePasses(state)
    } catch {
      state.close()
      if !existed { removeDestination() }
      throw error
    }
  }

  private func open(_ stack: MigrationStack, _ place: MigrationPlace, _ code: Int, _ side: String)
    throws
  {
    var place = place
    do {
      if side == "source" { place.configuration = try configuration(of: stack.model) }
      try stack.open(place)
    } catch {
      let reason = publicError(for: error) as NSError
      throw cocoaError(
        code,
        """
        The \(side) store \(place.url.path) of the migration cannot be opened: \
        \(reason.localizedDescription)
        """,
        [NSUnderlyingErrorKey: reason, NSFilePathErrorKey: place.url.path])
    }
  }

  /// The configuration whose entities the source store has; nil for all entities.
  private func configuration(of model: NSManagedObjectModel) throws -> String? {
    guard source.configuration == nil, source.type == NSSQLiteStoreType else {
      return source.configuration.flatMap { model.configurations.contains($0) ? $0 : nil }
    }
    let metadata = try NSPersistentStoreCoordinator.metadataForPersistentStore(
      ofType: source.type, at: source.url, options: source.options)
    let isWhole = model.isConfiguration(withName: nil, compatibleWithStoreMetadata: metadata)
    return isWhole
      ? nil
      : model.configurations.sorted().first {
        model.isConfiguration(withName: $0, compatibleWithStoreMetadata: metadata)
      }
  }

  /// Policies use both contexts, so the passes run on the queues of both.
  private func makePasses(_ state: MigrationState) throws {
    try state.destination.context.performAndWait {
      try state.source.context.performAndWait {
        let passes = try MigrationPasses(manager: manager, state: state)
        try passes.run()
        try copyMetadata(state)
        try manager.checkCancellation()
        try save(state.destination.context)
      }
    }
  }

  /// Copies the program's metadata; the store's own stays.
  private func copyMetadata(_ state: MigrationState) throws {
    guard let given = state.source.store?.metadata, let store = state.destination.store else {
      return
    }
    store.metadata = store.metadata?.merging(given) { own, _ in own }
  }

  private func save(_ context: NSManagedObjectContext) throws {
    do {
      try context.save()
    } catch {
      let failure = publicError(for: error) as NSError
      guard
        [NSManagedObjectConstraintMergeError, NSManagedObjectConstraintValidationError]
          .contains(failure.code)
      else { throw failure }
      throw cocoaError(
        NSMigrationConstraintViolationError,
        """
        The store \(source.url.path) could not be migrated: its objects break a uniqueness \
        constraint of the new version. \(failure.localizedDescription)
        """,
        [NSUnderlyingErrorKey: failure])
    }
  }

  /// Removes the destination store that this migration created.
  private func removeDestination() {
    guard let driver = try? StoreDrivers.driver(ofType: destination.type),
      destination.url.isFileURL, !driver.isPrivate(destination.url)
    else { return }
    let dependencies = StackDependencies.current
    try? driver.destroy(at: StoreAddress(destination.url, destination.options, dependencies))
    for suffix in ["", "-wal", "-shm", "-journal"] {
      try? dependencies.files.removeItem(at: URL(fileURLWithPath: destination.url.path + suffix))
    }
  }
}
