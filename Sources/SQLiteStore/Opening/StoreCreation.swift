import Foundation
import ObjectRows
import SQLiteDriver

/// Creates a store in an empty database, in one transaction.
struct StoreCreation {
  let schema: StoreSchema
  let connections: StoreConnections

  /// Fills the database; does nothing if another process has just done so.
  func run(on connection: Connection) throws(StoreError) {
    let journalMode = try connections.journalMode()
    let metadata = StoreMetadata(uuid: connections.options.makeUUID(), schema: schema)
    let statements = try schema.creationStatements()
    do {
      try connection.setCheckpointsOnClose(true)
      try setFilePragmas(on: connection)
      try connection.set(.journalMode, to: journalMode)
      try connection.transaction(.immediate) {
        guard try connection.value("SELECT 1 FROM sqlite_schema LIMIT 1") == nil else { return }
        for statement in statements { try connection.execute(statement) }
        for row in schema.primaryKeyRows {
          try Self.addPrimaryKey(row.number, row.name, row.superNumber, to: connection)
        }
        try metadata.write(to: connection, at: connections.location)
        if let model = schema.model {
          try StoredModel.write(model, to: connection, at: connections.location)
        }
      }
    } catch let error as SQLiteError {
      throw StoreError(error, at: connections.location)
    } catch let error as StoreError {
      throw error
    } catch {
      throw StoreError(
        .cannotOpen, "The store \(connections.location.path) cannot be made: \(error)",
        context: ["file": connections.location.path], underlying: error)
    }
  }

  /// Creates the tables of the history.
  static func addHistory(tombstones: Int, to connection: Connection) throws(SQLiteError) {
    for statement in HistoryTables.creationStatements(tombstones: tombstones) {
      try connection.execute(statement)
    }
    for (number, name) in HistoryTables.entities {
      try addPrimaryKey(number, name, 0, to: connection)
    }
  }

  static func addPrimaryKey(
    _ number: Int, _ name: String, _ superNumber: Int, to connection: Connection
  ) throws(SQLiteError) {
    try connection.run(
      "INSERT OR REPLACE INTO Z_PRIMARYKEY (Z_ENT, Z_NAME, Z_SUPER, Z_MAX) VALUES (?, ?, ?, 0)",
      [.integer(Int64(number)), .text(name), .integer(Int64(superNumber))])
  }

  private func setFilePragmas(on connection: Connection) throws(SQLiteError) {
    let wanted = Dictionary(
      connections.options.pragmas.map { ($0.key.lowercased(), $0.value) },
      uniquingKeysWith: { first, _ in first })
    // Setting the vacuum mode writes the first page, so the page size and encoding come first.
    for name in ["page_size", "encoding"] {
      if let value = wanted[name] { try connection.setPragma(named: name, to: value) }
    }
    try connection.setPragma(
      named: "auto_vacuum", to: wanted["auto_vacuum"] ?? AutoVacuum.incremental.pragmaLiteral)
  }
}
