extension NSManagedObjectModel {
  /// Creates a model with the entities of several models; nil if `models` is nil.
  ///
  /// The models are copied. Entities that are equal in several models are merged.
  ///
  /// - Warning: Two different entities or fetch request templates with one name stop the program.
  ///   `init(merging:)` throws instead.
  public convenience init?(byMerging models: [NSManagedObjectModel]?) {
    guard let models else { return nil }
    do {
      try self.init(merging: models)
    } catch {
      preconditionFailure("\(error)")
    }
  }

  /// Creates a model with the entities that a store was written with, from several models; nil if
  /// this fails.
  ///
  /// `init(merging:forStoreMetadata:)` throws the reason, such as missing entities.
  public convenience init?(
    byMerging models: [NSManagedObjectModel], forStoreMetadata metadata: [String: Any]
  ) {
    try? self.init(merging: models, forStoreMetadata: metadata)
  }

  /// Creates a model with the entities of several models.
  ///
  /// Parhelion's addition.
  ///
  /// It throws a `ManagedObjectModelError` if two models have different entities or fetch request
  /// templates with one name.
  public convenience init(merging models: [NSManagedObjectModel]) throws {
    let merger = ModelMerger()
    for model in models { try merger.add(model) }
    self.init(takingOver: merger.merged)
  }

  /// Creates a model with the entities that a store was written with, from several models.
  ///
  /// Parhelion's addition.
  ///
  /// If a model, or one of its configurations, has exactly the store's entities, the whole model is
  /// copied. If entities are missing, it throws a `ManagedObjectModelError` that names them.
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

  /// Creates a model with the contents of another, to which there are no other references.
  convenience init(takingOver other: NSManagedObjectModel) {
    self.init()
    entities = other.entities
    configurations = other.configurations
    entitiesByConfiguration = other.entitiesByConfiguration
    fetchRequestTemplatesByName = other.fetchRequestTemplatesByName
    versionIdentifiers = other.versionIdentifiers
    localizationDictionary = other.localizationDictionary
  }

  private func hasConfiguration(matching hashes: StoreVersionHashes) -> Bool {
    hashes.match(entities) || entitiesByConfiguration.values.contains { hashes.match($0) }
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
