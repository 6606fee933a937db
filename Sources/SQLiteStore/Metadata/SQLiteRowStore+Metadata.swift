import ObjectRows
import SQLiteDriver

extension SQLiteRowStore {
  package func metadata() throws -> [String: Any] {
    try pool.read { connection in try StoreMetadata(connection, at: location).dictionary }
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
