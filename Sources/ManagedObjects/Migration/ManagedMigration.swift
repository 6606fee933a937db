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

  /// Migrates a SQLite store with SQL, if the mapping was inferred and has no policies.
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
      try makePasses(state, isNew: !existed)
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
  private func makePasses(_ state: MigrationState, isNew: Bool) throws {
    try state.destination.context.performAndWait {
      try state.source.context.performAndWait {
        let passes = try MigrationPasses(manager: manager, state: state)
        try passes.run()
        if mapping.isInferred { try requireValues(in: state.destination.context) }
        try keepOwners(state.destination, isNew: isNew)
        try manager.checkCancellation()
        try withCopiedMetadata(state) { try save(state.destination.context) }
      }
    }
  }

  /// Fails if objects lack values that the destination model requires.
  ///
  /// Only an inferred mapping is checked here. With other mappings, the save reports missing values
  /// as validation errors.
  private func requireValues(in context: NSManagedObjectContext) throws {
    let objects = Dictionary(grouping: context.insertedObjects, by: \.entityName)
    for (name, objects) in objects.sorted(by: { $0.key < $1.key }) {
      guard let attributes = objects.first?.entity.attributesByName.values else { continue }
      for attribute in attributes.sorted(by: { $0.name < $1.name }) where attribute.needsValue {
        let count = objects.count { $0.value(forKey: attribute.name) == nil }
        guard count > 0 else { continue }
        let missing = MissingValues(entity: name, attribute: attribute.name, count: count)
        throw StoreError(
          .migration, missing.message(store: source.url.path),
          context: missing.context.merging(["file": source.url.path]) { own, _ in own })
      }
    }
  }

  /// Recreates the destination store with join tables, if members of relationships without an
  /// inverse have several owners.
  ///
  /// Without a join table, a member's row has room for one owner.
  private func keepOwners(_ stack: MigrationStack, isNew: Bool) throws {
    guard let single = stack.store?.singleOwnerRelationships, !single.isEmpty else { return }
    let objects = stack.context.insertedObjects
    var shared = SharedOwners<ObjectIdentifier>()
    for object in objects {
      for (ordinal, property) in object.layout.properties.enumerated() {
        guard let relationship = property as? NSRelationshipDescription,
          relationship.mayShareMembers
        else { continue }
        shared.add(object.members(ordinal).objects.map(ObjectIdentifier.init), of: relationship)
      }
    }
    guard !shared.relationships.isDisjoint(with: single) else { return }
    guard isNew, objects.allSatisfy({ $0.objectID.isTemporaryID }) else {
      throw StoreError(
        .migration,
        """
        The store \(destination.url.path) has room for one owner of each member of a relationship \
        without an inverse, and migrated objects have several. Migrate into a new store, or give \
        the relationship an inverse.
        """,
        context: ["file": destination.url.path])
    }
    stack.removeStore()
    removeDestination()
    stack.context.assignedStores = [:]
    try stack.open(destination, joining: shared.relationships)
  }

  /// Runs a save with the source store's metadata copied to the destination store.
  ///
  /// Values that the destination store already has stay. The metadata is set before the save,
  /// because a store class may write its whole file in the save. If the save fails, the former
  /// metadata is restored.
  private func withCopiedMetadata(_ state: MigrationState, _ save: () throws -> Void) throws {
    guard let store = state.destination.store, let own = store.metadata else { return try save() }
    store.metadata = own.merging(state.source.store?.metadata ?? [:]) { own, _ in own }
    do {
      try save()
    } catch {
      store.metadata = own
      throw error
    }
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
