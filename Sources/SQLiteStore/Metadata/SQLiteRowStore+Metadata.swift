import ObjectRows
import SQLiteDriver

extension SQLiteRowStore {
  /// The metadata, without the entries that describe unfinished work on the file.
  package func metadata() throws -> [String: Any] {
    let all = try pool.read { connection in
      try StoreMetadata(connection, at: location).dictionary
    }
    return all.filter {
      $0.key != StoreMetadata.Key.deferredTasks && $0.key != StoreMetadata.Key.pendingStage
    }
  }

  package func setMetadata(_ metadata: [String: Any]) throws {
    try pool.write { connection in
      try connection.transaction(.exclusive) {
        var changed = try StoreMetadata(connection, at: location).replacing(metadata)
        changed.uuid = identity.uuid
        try changed.write(to: connection, at: location)
      }
    }
  }
}
