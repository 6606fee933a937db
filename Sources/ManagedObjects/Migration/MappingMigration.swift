import Foundation
import ManagedObjectModel
import ObjectRows

/// The migration, with a mapping model of the program, of a store that a coordinator adds.
final class MappingMigration {
  private let plan: StorePlan
  private let url: URL
  /// The error of a migration that failed.
  private(set) var failure: (any Error)?

  init(plan: StorePlan, url: URL) {
    self.plan = plan
    self.url = url
  }

  /// Returns a closure that migrates the store to an interim file; nil without a mapping model.
  ///
  /// - Parameter source: The model of the store.
  func find(from source: NSManagedObjectModel) -> ((URL) throws -> Void)? {
    guard
      let mapping = AvailableMappings(bundles: plan.dependencies.mappingBundles)
        .first(from: source, to: plan.model)
    else { return nil }
    return { [self] interim in
      do {
        try migrate(to: interim, from: source, mapping)
      } catch {
        failure = error
        throw error
      }
    }
  }

  private func migrate(
    to interim: URL, from source: NSManagedObjectModel, _ mapping: NSMappingModel
  ) throws {
    let manager = NSMigrationManager(sourceModel: source, destinationModel: plan.model)
    manager.usesStoreSpecificMigrationManager = false
    let given = plan.options.dictionary
    let migration = ManagedMigration(
      manager: manager, mapping: mapping,
      source: MigrationPlace(
        url: url, type: NSSQLiteStoreType, options: MigrationPlace.sourceOptions(given),
        configuration: plan.configuration),
      destination: MigrationPlace(
        url: interim, type: NSSQLiteStoreType, options: MigrationPlace.withoutMigration(given),
        configuration: plan.configuration))
    try StackDependencies.$current.withValue(plan.dependencies) { try migration.run() }
  }
}
