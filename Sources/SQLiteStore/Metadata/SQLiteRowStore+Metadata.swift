import ObjectRows
import SQLiteDriver

extension SQLiteRowStore {
  package func metadata() throws -> [String: Any] {
    try pool.read { connection in try StoreMetadata(connection, at: location).dictionary }
  }

  package func setMetadata(_ metadata: [String: Any]) throws {
    try pool.write { connection in
      try connection.transaction(.exclusive) {
        try StoreMetadata(connection, at: location).replacing(metadata).write(to: connection, at: location)
      }
    }
  }
}
