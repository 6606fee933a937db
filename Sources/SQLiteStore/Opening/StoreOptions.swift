package import Foundation
package import ObjectRows

/// How a store is opened.
package struct StoreOptions: Sendable {
  /// Nothing is written.
  package var isReadOnly = false
  /// Promises that nobody writes the file while it is open, so that nothing needs to be written
  /// beside it either: for tools that look once.
  package var isSnapshot = false
  /// How long a locked file is waited for.
  package var timeout = Limits.lockTimeout
  /// How many connections the store may have; nil leaves it to the store.
  package var mostConnections: Int?
  /// A store is destroyed or replaced even while somebody has locked it.
  package var destroysByForce = false
  /// Settings of SQLite, by name.
  package var pragmas: [String: String] = [:]
  /// SQLite collects statistics for its query planner when the store is opened.
  package var analyzes = false
  /// The file is made as small as it can be when the store is opened.
  package var vacuums = false
  /// Every save is recorded in the store's history.
  package var tracksHistory = false
  /// A store of another version of the model is brought to this one.
  package var migratesAutomatically = false
  /// How a store is brought to another version may be inferred from the two models.
  package var infersMapping = false
  /// The version hashes of the store are not looked at.
  package var ignoresVersioning = false
  /// Where a new store's UUID comes from.
  package var makeUUID: @Sendable () -> UUID = { UUID() }
  /// How files are reached.
  package var files: any FileSystem = LocalFiles()

  package init() {}
}
