import Foundation
import ObjectRows

extension SQLiteRowStore: RowStore {
  /// Takes over a store that was opened.
  package convenience init(_ opened: OpenedStore, logging: StatementLogging = .current) throws {
    var settings = opened.connectionSettings
    settings.logging = logging
    try self.init(
      identity: opened.identity, schema: opened.schema, connection: opened.connection, settings: settings,
      externalFolder: opened.location.externalDataFolder, keepsHistory: opened.tracksHistory,
      location: opened.location, prepareForWriting: opened.isReadOnly ? nil : { try opened.prepareForWriting() })
  }

  package func metadata() throws -> [String: Any] {
    try pool.read { connection in try StoreMetadata(connection, at: location).dictionary }
  }

  package func setMetadata(_ metadata: [String: Any]) throws {
    try pool.write { connection in
      try StoreMetadata(connection, at: location).replacing(metadata).write(to: connection, at: location)
    }
  }
}
