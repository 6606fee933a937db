public import Foundation

/// Apple's API that is not available yet.
extension NSPersistentStoreCoordinator {
  /// The registered classes of stores, by store type.
  @available(
    *, unavailable,
    message: "Custom store classes are not available yet; the types are SQLite and in-memory."
  )
  public class var registeredStoreTypes: [String: NSValue] { [:] }

  /// Registers a class for a store type.
  @available(
    *, unavailable,
    message: "Custom store classes are not available yet; use SQLite or in-memory stores."
  )
  public class func registerStoreClass(_ storeClass: AnyClass?, forStoreType storeType: String) {}

  /// Registers a class for a store type.
  @available(
    *, unavailable,
    message: "Custom store classes are not available yet; use SQLite or in-memory stores."
  )
  public class func registerStoreClass(_ storeClass: AnyClass?, type: NSPersistentStore.StoreType) {
  }

  /// Completes the deferred work of a lightweight migration.
  @available(
    *, unavailable,
    message: "There is no deferred work: a lightweight migration completes before the store opens."
  )
  public func finishDeferredLightweightMigration() throws -> Bool { false }

  /// Completes one part of the deferred work of a lightweight migration.
  @available(
    *, unavailable,
    message: "There is no deferred work: a lightweight migration completes before the store opens."
  )
  public func finishDeferredLightweightMigrationTask() throws -> Bool { false }
}
