import ObjectRows
import SQLiteDriver

extension SQLiteRowStore {
  /// Performs one task that a migration left for later; returns whether there was one.
  ///
  /// The task and its removal from the metadata are one transaction.
  package func performDeferredTask() throws -> Bool {
    try pool.write { connection in
      guard !DeferredCleanup(try StoreMetadata(connection, at: location)).tasks.isEmpty else {
        return false
      }
      return try connection.transaction(.immediate) {
        var metadata = try StoreMetadata(connection, at: location)
        var cleanup = DeferredCleanup(metadata)
        guard try cleanup.performFirst(on: connection) else { return false }
        cleanup.describe(in: &metadata)
        try metadata.write(to: connection, at: location)
        return true
      }
    }
  }
}
