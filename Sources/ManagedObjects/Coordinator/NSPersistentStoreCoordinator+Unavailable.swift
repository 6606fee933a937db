public import Foundation

/// What Apple's coordinators have and these do not have yet.
extension NSPersistentStoreCoordinator {
  /// The classes of stores by the types that they are known for.
  @available(
    *, unavailable,
    message: "Stores of a program's own are not there yet; the types are SQLite and in memory."
  )
  public class var registeredStoreTypes: [String: NSValue] { [:] }

  /// Makes a class of stores known for a type of stores.
  @available(
    *, unavailable,
    message: "Stores of a program's own are not there yet; use SQLite stores or stores in memory."
  )
  public class func registerStoreClass(_ storeClass: AnyClass?, forStoreType storeType: String) {}

  /// Makes a class of stores known for a type of stores.
  @available(
    *, unavailable,
    message: "Stores of a program's own are not there yet; use SQLite stores or stores in memory."
  )
  public class func registerStoreClass(_ storeClass: AnyClass?, type: NSPersistentStore.StoreType) {
  }

  /// Does what a lightweight migration left for later.
  @available(
    *, unavailable,
    message: "Nothing is left for later: a lightweight migration ends before the store opens."
  )
  public func finishDeferredLightweightMigration() throws -> Bool { false }

  /// Does one part of what a lightweight migration left for later.
  @available(
    *, unavailable,
    message: "Nothing is left for later: a lightweight migration ends before the store opens."
  )
  public func finishDeferredLightweightMigrationTask() throws -> Bool { false }
}
