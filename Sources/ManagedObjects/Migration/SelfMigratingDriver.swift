import ManagedObjectModel

/// A driver whose stores can migrate without objects, if the mapping can be inferred.
protocol SelfMigratingDriver: StoreDriver {
  /// Migrates a store into a new one.
  ///
  /// Returns false, and does nothing, if the destination exists already or a store is in memory.
  func migrate(
    from source: MigrationPlace, to destination: MigrationPlace,
    sourceModel: NSManagedObjectModel, destinationModel: NSManagedObjectModel
  ) throws -> Bool

  /// The reason why a store's objects cannot be copied into another store; nil if they can.
  func reasonAgainstCopying(_ place: MigrationPlace) throws -> String?
}
