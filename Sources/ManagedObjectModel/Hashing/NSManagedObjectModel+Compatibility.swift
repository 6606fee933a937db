extension NSManagedObjectModel {
  /// Returns whether a store with the given metadata was written with the entities of a
  /// configuration, or, for nil, with all entities.
  ///
  /// It is false if the model has no such configuration, or the metadata has no version hashes.
  public func isConfiguration(
    withName configuration: String?, compatibleWithStoreMetadata metadata: [String: Any]
  )
    -> Bool
  {
    guard let hashes = StoreVersionHashes(metadata: metadata),
      let entities = entities(forConfigurationName: configuration)
    else { return false }
    return hashes.match(entities)
  }
}
