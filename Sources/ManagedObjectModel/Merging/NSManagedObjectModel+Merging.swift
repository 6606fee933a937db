extension NSManagedObjectModel {
  /// Creates a model with the entities of several models, or nil where there are no models.
  ///
  /// The models are copied. Entities that say the same in several models become one.
  ///
  /// - Warning: Two different entities of one name stop the program. `init(merging:)` throws
  ///   instead.
  public convenience init?(byMerging models: [NSManagedObjectModel]?) {
    guard let models else { return nil }
    do {
      try self.init(merging: models)
    } catch {
      preconditionFailure("\(error)")
    }
  }

  /// Creates a model with those entities of several models that a store was written with, or nil
  /// where some are missing.
  public convenience init?(
    byMerging models: [NSManagedObjectModel], forStoreMetadata metadata: [String: Any]
  ) {
    try? self.init(merging: models, forStoreMetadata: metadata)
  }

  /// Creates a model with the entities of several models.
  ///
  /// Parhelion's addition.
  ///
  /// It throws a `ManagedObjectModelError` where two models have different entities of one name.
  public convenience init(merging models: [NSManagedObjectModel]) throws {
    let merger = ModelMerger()
    for model in models { try merger.add(model) }
    self.init(takingOver: merger.merged)
  }

  /// Creates a model with those entities of several models that a store was written with.
  ///
  /// Parhelion's addition.
  ///
  /// Where the entities of one model are exactly the store's, or those of one of its configurations
  /// are, that model is copied whole. It throws a `ManagedObjectModelError` that names the missing
  /// entities where some are.
  public convenience init(
    merging models: [NSManagedObjectModel], forStoreMetadata metadata: [String: Any]
  ) throws {
    guard let wanted = StoreVersionHashes(metadata: metadata) else {
      throw ManagedObjectModelError(
        code: .noVersionHashes,
        message:
          "The store's metadata has no \(NSStoreModelVersionHashesKey), so no model can be found for it.",
        context: [:])
    }
    let merger = ModelMerger()
    if let whole = models.first(where: { $0.hasConfiguration(matching: wanted) }) {
      try merger.add(whole)
    } else {
      for model in models { try merger.add(model, where: wanted.contain) }
      try merger.merged.requireEntities(of: wanted)
    }
    self.init(takingOver: merger.merged)
  }

  /// Creates a model with the whole contents of one that nothing else refers to.
  convenience init(takingOver other: NSManagedObjectModel) {
    self.init()
    entities = other.entities
    namedConfigurations = other.namedConfigurations
    namedTemplates = other.namedTemplates
    versionIdentifiers = other.versionIdentifiers
    localizationDictionary = other.localizationDictionary
  }

  private func hasConfiguration(matching hashes: StoreVersionHashes) -> Bool {
    hashes.match(entities) || namedConfigurations.contains { hashes.match($0.entities) }
  }

  private func requireEntities(of hashes: StoreVersionHashes) throws {
    let present = entitiesByName
    let missing = hashes.hashesByEntityName.filter { present[$0.key]?.versionHash != $0.value }
      .keys.sorted(by: VersionHash.utf8Precedes)
    guard missing.isEmpty else {
      throw ManagedObjectModelError(
        code: .noModelForStore,
        message:
          "No model has, in the version that the store was written with: \(missing.joined(separator: ", ")). Add the model version that wrote the store.",
        context: ["entities": missing.joined(separator: ", ")])
    }
  }
}
