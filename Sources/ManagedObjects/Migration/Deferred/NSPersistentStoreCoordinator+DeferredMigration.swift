import Foundation
import SQLiteStore

extension NSPersistentStoreCoordinator {
  /// Performs all work that lightweight migrations left for later.
  ///
  /// The work drops tables and columns that no entity has any longer; no object changes. Stores
  /// that were added with `NSPersistentStoreDeferredLightweightMigrationOptionKey` have such work
  /// while their metadata has true for that key.
  public func finishDeferredLightweightMigration() throws {
    try throwingPublicErrors {
      for store in storesForDeferredMigration {
        while try store.performDeferredTask() {}
      }
    }
  }

  /// Performs one part of the work that lightweight migrations left for later.
  ///
  /// Each call drops one table or column of one store. It does nothing if no work is left.
  public func finishDeferredLightweightMigrationTask() throws {
    try throwingPublicErrors {
      for store in storesForDeferredMigration where try store.performDeferredTask() { return }
    }
  }

  /// The writable SQLite stores, in the order in which they were added.
  private var storesForDeferredMigration: [SQLiteRowStore] {
    persistentStores.compactMap(\.open).filter { !$0.isReadOnly }
      .compactMap { $0.rowStore as? SQLiteRowStore }
  }
}
