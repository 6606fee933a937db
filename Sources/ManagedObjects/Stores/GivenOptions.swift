import Foundation

/// What the options of a store say.
///
/// Options may come as `Bool`, `NSNumber`, text or dictionaries of these, as application code
/// writes them.
struct GivenOptions {
  let dictionary: [AnyHashable: Any]

  init(_ dictionary: [AnyHashable: Any]?) {
    self.dictionary = dictionary ?? [:]
  }

  var isReadOnly: Bool { flag(NSReadOnlyPersistentStoreOption) }
  var migratesAutomatically: Bool { flag(NSMigratePersistentStoresAutomaticallyOption) }
  var infersMapping: Bool { flag(NSInferMappingModelAutomaticallyOption) }
  var ignoresVersioning: Bool { flag(NSIgnorePersistentStoreVersioningOption) }
  var analyzes: Bool { flag(NSSQLiteAnalyzeOption) }
  var vacuums: Bool { flag(NSSQLiteManualVacuumOption) }
  var keepsHistory: Bool { flag(NSPersistentHistoryTrackingKey) }
  var postsRemoteChanges: Bool { flag(NSPersistentStoreRemoteChangeNotificationPostOptionKey) }

  var destroysByForce: Bool { flag(NSPersistentStoreForceDestroyOption) }

  /// How many connections the store may have: one at least.
  var mostConnections: Int? {
    (dictionary[NSPersistentStoreConnectionPoolMaxSizeKey] as? NSNumber).map { max(1, $0.intValue) }
  }

  /// The seconds after which an attempt to lock the store is given up.
  var timeoutSeconds: Double? {
    (dictionary[NSPersistentStoreTimeoutOption] as? NSNumber)?.doubleValue
  }

  /// The pragmas, in the order of their names.
  var pragmas: [(name: String, value: String)] {
    let given = dictionary[NSSQLitePragmasOption] as? [AnyHashable: Any] ?? [:]
    return given.compactMap { name, value in (name.base as? String).map { ($0, "\(value)") } }
      .sorted { $0.0 < $1.0 }
  }

  /// History is switched on by true or by a dictionary of its own options.
  private func flag(_ key: String) -> Bool {
    switch dictionary[key] {
    case let number as NSNumber: number.boolValue
    case let text as String: (text as NSString).boolValue
    case is [AnyHashable: Any]: true
    default: false
    }
  }
}
