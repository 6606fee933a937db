import Foundation

/// The options of a store, decoded.
///
/// Application code may pass `Bool`, `NSNumber`, strings, or dictionaries of these.
struct GivenOptions {
  /// The options as the program passed them.
  let given: [AnyHashable: Any]?

  init(_ given: [AnyHashable: Any]?) {
    self.given = given
  }

  var dictionary: [AnyHashable: Any] { given ?? [:] }

  var isReadOnly: Bool { flag(NSReadOnlyPersistentStoreOption) }
  var migratesAutomatically: Bool { flag(NSMigratePersistentStoresAutomaticallyOption) }
  var infersMapping: Bool { flag(NSInferMappingModelAutomaticallyOption) }
  var ignoresVersioning: Bool { flag(NSIgnorePersistentStoreVersioningOption) }
  var analyzes: Bool { flag(NSSQLiteAnalyzeOption) }
  var vacuums: Bool { flag(NSSQLiteManualVacuumOption) }
  var keepsHistory: Bool { flag(NSPersistentHistoryTrackingKey) }
  var postsRemoteChanges: Bool { flag(NSPersistentStoreRemoteChangeNotificationPostOptionKey) }
  /// Whether the store has a full-text index; nil without the option.
  var maintainsFullTextIndex: Bool? {
    let key = NSPersistentStoreDescription.fullTextIndexKey
    return dictionary[key] == nil ? nil : flag(key)
  }

  var countsStatements: Bool { flag(NSPersistentStoreDescription.statementStatisticsKey) }

  var defersMigration: Bool { flag(NSPersistentStoreDeferredLightweightMigrationOptionKey) }

  /// The manager of a staged migration.
  var stagedMigrationManager: NSStagedMigrationManager? {
    dictionary[NSPersistentStoreStagedMigrationManagerOptionKey] as? NSStagedMigrationManager
  }

  /// The options with which the store is opened for a migration handler, without migrating it.
  var withoutMigration: [AnyHashable: Any] {
    let keys = [
      NSMigratePersistentStoresAutomaticallyOption, NSInferMappingModelAutomaticallyOption,
      NSPersistentStoreStagedMigrationManagerOptionKey,
      NSPersistentStoreDeferredLightweightMigrationOptionKey,
      NSPersistentStoreRemoteChangeNotificationPostOptionKey,
    ]
    return dictionary.filter { key, _ in !keys.contains { AnyHashable($0) == key } }
  }

  var destroysByForce: Bool { flag(NSPersistentStoreForceDestroyOption) }

  /// The maximum number of connections to the store, at least one.
  var mostConnections: Int? {
    (dictionary[NSPersistentStoreConnectionPoolMaxSizeKey] as? NSNumber).map { max(1, $0.intValue) }
  }

  /// The lock timeout in seconds.
  var timeoutSeconds: Double? {
    (dictionary[NSPersistentStoreTimeoutOption] as? NSNumber)?.doubleValue
  }

  /// The pragmas, ordered by name.
  var pragmas: [(name: String, value: String)] {
    let given = dictionary[NSSQLitePragmasOption] as? [AnyHashable: Any] ?? [:]
    return given.compactMap { name, value in (name.base as? String).map { ($0, "\(value)") } }
      .sorted { $0.0 < $1.0 }
  }

  /// Whether an option is set, by true or by a dictionary such as the one for history tracking.
  private func flag(_ key: String) -> Bool {
    switch dictionary[key] {
    case let number as NSNumber: number.boolValue
    case let text as String: (text as NSString).boolValue
    case is [AnyHashable: Any]: true
    default: false
    }
  }
}
