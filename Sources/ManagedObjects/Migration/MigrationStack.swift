import Foundation
import ManagedObjectModel

/// The model, coordinator, store and context of one side of a migration.
///
/// Its model is a copy in which every entity has the class `NSManagedObject`: the classes of an
/// application fit its newest model only, and their code must not run in a migration.
final class MigrationStack {
  let context: NSManagedObjectContext
  let coordinator: NSPersistentStoreCoordinator
  private(set) var store: NSPersistentStore?

  init(_ model: NSManagedObjectModel) {
    coordinator = NSPersistentStoreCoordinator(managedObjectModel: Self.plainCopy(of: model))
    context = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
    context.persistentStoreCoordinator = coordinator
  }

  private static func plainCopy(of model: NSManagedObjectModel) -> NSManagedObjectModel {
    guard let copy = model.copy() as? NSManagedObjectModel else { return model }
    for entity in copy.entities { entity.managedObjectClassName = "NSManagedObject" }
    return copy
  }

  var model: NSManagedObjectModel { coordinator.managedObjectModel }

  func open(_ place: MigrationPlace) throws {
    store = try coordinator.addPersistentStore(
      ofType: place.type, configurationName: place.configuration, at: place.url,
      options: place.options)
  }

  func close() {
    context.performAndWait { context.reset() }
    guard let store else { return }
    try? coordinator.remove(store)
    self.store = nil
  }
}

/// The store of one side of a migration.
struct MigrationPlace {
  let url: URL
  let type: String
  var options: [AnyHashable: Any]
  var configuration: String?

  /// The options for reading the source.
  static func sourceOptions(_ given: [AnyHashable: Any]?) -> [AnyHashable: Any] {
    var options = withoutMigration(given)
    options[NSReadOnlyPersistentStoreOption] = true
    return options
  }

  /// Options without those that migrate, or that concern the program's own coordinator.
  static func withoutMigration(_ given: [AnyHashable: Any]?) -> [AnyHashable: Any] {
    var options = given ?? [:]
    for key in [
      NSMigratePersistentStoresAutomaticallyOption, NSInferMappingModelAutomaticallyOption,
      NSPersistentStoreRemoteChangeNotificationPostOptionKey,
      NSPersistentStoreStagedMigrationManagerOptionKey,
      NSPersistentStoreDeferredLightweightMigrationOptionKey, NSReadOnlyPersistentStoreOption,
    ] { options[key] = nil }
    return options
  }
}
