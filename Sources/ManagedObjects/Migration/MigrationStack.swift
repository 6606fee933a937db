import Foundation
import ManagedObjectModel

/// The model, coordinator, store and context of one side of a migration.
///
/// Its model is a copy in which every entity has the class `NSManagedObject`. The classes of an
/// application fit only its newest model, and their code must not run in a migration.
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

  /// Opens the store.
  ///
  /// - Parameter relationships: The relationships without an inverse whose members may have several
  ///   owners in a new SQLite store.
  func open(_ place: MigrationPlace, joining relationships: Set<ObjectIdentifier> = []) throws {
    store = try coordinator.openStore(
      place.type, place.configuration, at: place.url, place.options, joining: relationships)
  }

  func close() {
    context.performAndWait { context.reset() }
    removeStore()
  }

  /// Removes the store, and keeps the unsaved objects.
  func removeStore() {
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
