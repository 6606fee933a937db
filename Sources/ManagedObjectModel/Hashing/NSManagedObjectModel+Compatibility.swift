extension NSManagedObjectModel {
  /// Whether a store with the given metadata was written with the entities of a configuration, all
  /// of them for nil.
  ///
  /// It is false where the model has no such configuration, and where the metadata has no version
  /// hashes.
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
