import MirrorModel
import SQLiteDriver

/// Forgets what the ledger has of entities and relationships that are gone from the model.
///
/// Nothing is deleted in the cloud for it: other devices may still have the former version of the
/// model.
enum LedgerCleaning {
  static func forgetVanished(_ names: LedgerNames, on connection: Connection) throws {
    var gone: [Int64] = []
    for row in try connection.rows("SELECT number FROM PHM_ENTITY") {
      if case .integer(let number) = row[0], names.layoutIndex(number) == nil {
        gone.append(number)
      }
    }
    for entity in gone {
      for table in ["PHM_OBJECT", "PHM_DEFERRED"] {
        try connection.run("DELETE FROM \(table) WHERE entity = ?1", entity)
      }
      try connection.run("DELETE FROM PHM_JOURNAL WHERE entity = ?1", entity)
    }
    for row in try connection.rows("SELECT number FROM PHM_RELATIONSHIP") {
      guard case .integer(let number) = row[0], names.relationships[number] == nil else { continue }
      try connection.run("DELETE FROM PHM_PAIR WHERE relationship = ?1", number)
      try connection.run(
        "DELETE FROM PHM_DEFERRED WHERE kind = ?1 AND property = ?2",
        Int64(DeferredItem.Kind.pair.rawValue), number)
    }
    try DuplicateTable(connection).forgetVanished()
  }
}
