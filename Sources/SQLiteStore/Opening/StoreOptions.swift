package import Foundation
package import ObjectRows

/// The options of opening a store.
package struct StoreOptions: Sendable {
  /// Whether the store is read-only.
  package var isReadOnly = false
  /// Whether the caller promises that the file does not change while it is open.
  ///
  /// Tools that read a store once use this. Reading creates no other files, unless the file has a
  /// log or a journal with content.
  package var isSnapshot = false
  /// The time to wait for a locked file.
  package var timeout = Limits.lockTimeout
  /// The maximum number of connections of the store; nil for the default.
  package var maximumConnections: Int?
  /// Whether a store is destroyed or replaced even while another process locks it.
  package var destroysByForce = false
  /// SQLite's pragmas, by name.
  package var pragmas: [String: String] = [:]
  /// Whether SQLite collects statistics for its query planner when the store opens.
  package var analyzes = false
  /// Whether the file is vacuumed when the store opens.
  package var vacuums = false
  /// Whether every save is recorded in the store's history.
  package var tracksHistory = false
  /// Whether a store of another model version is migrated.
  package var migratesAutomatically = false
  /// Whether the mapping of a migration may be inferred from the two models.
  package var infersMapping = false
  /// Whether a migration defers the removal of tables and columns that are no longer needed.
  package var defersCleanup = false
  /// The custom stage that a migration belongs to, for the metadata; nil without one.
  ///
  /// The mark is written with the migration and removed when the stage is complete.
  package var stageMark: String?
  /// Whether the store's version hashes are ignored.
  package var ignoresVersioning = false
  /// Whether the store has a full-text index; nil to keep what the file has.
  package var maintainsFullTextIndex: Bool?
  /// The relationships without an inverse that get a join table if the store is new.
  package var joinedRelationships: Set<ObjectIdentifier> = []
  /// Whether the store's statements are counted.
  package var countsStatements = false
  /// The launch arguments for debugging.
  package var debugging = StoreDebugging()
  /// Makes the UUID of a new store.
  package var makeUUID: @Sendable () -> UUID = { UUID() }
  /// The file system.
  package var files: any FileSystem = LocalFiles()

  package init() {}
}
