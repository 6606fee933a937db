public import Foundation

/// Apple's API that is not available yet.
extension NSPersistentStoreCoordinator {
  /// The registered classes of stores, by store type.
  @available(
    *, unavailable,
    message: "Stores of a program's own are not there yet; the types are SQLite and in memory."
  )
  public class var registeredStoreTypes: [String: NSValue] { [:] }

  /// Registers a class for a store type.
  @available(
    *, unavailable,
    message: "Stores of a program's own are not there yet; use SQLite stores or stores in memory."
  )
  public class func registerStoreClass(_ storeClass: AnyClass?, forStoreType storeType: String) {}

  /// Registers a class for a store type.
  @available(
    *, unavailable,
    message: "Stores of a program's own are not there yet; use SQLite stores or stores in memory."
  )
  public class func registerStoreClass(_ storeClass: AnyClass?, type: NSPersistentStore.StoreType) {
  }

  /// Completes the deferred work of a lightweight migration.
  @available(
    *, unavailable,
    message: "Nothing is left for later: a lightweight migration ends before the store opens."
  )
  public func finishDeferredLightweightMigration() throws -> Bool { false }

  /// Completes one part of the deferred work of a lightweight migration.
  @available(
    *, unavailable,
    message: "Nothing is left for later: a lightweight migration ends before the store opens."
  )
  public func finishDeferredLightweightMigrationTask() throws -> Bool { false }
}
