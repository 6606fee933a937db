import MirrorModel
import SQLiteDriver

/// Removes the ledger's rows of entities and relationships that left the model.
///
/// Nothing is deleted in the cloud, because other devices may still have the former model.
enum LedgerCleaning {
  static func dropRemovedWinners(_ names: LedgerNames, on connection: Connection) throws {
    for entity in try numbers(.entity, on: connection) where names.layoutIndex(entity) == nil {
      try connection.run("DELETE FROM PHM_OBJECT WHERE entity = ?1", entity)
      // No index has the entities of pairs: all are scanned only if objects were removed now.
      let pending = connection.changes > 0 ? "" : "grp IS NOT NULL AND "
      for table in ["PHM_DEFERRED", "PHM_JOURNAL"] {
        try connection.run("DELETE FROM \(table) WHERE entity = ?1", entity)
      }
      // The relationship may still be in the model: a superentity may have it.
      try connection.run(
        "DELETE FROM PHM_PAIR WHERE \(pending)(firstentity = ?1 OR secondentity = ?1)", entity)
    }
    for number in try numbers(.relationship, on: connection)
    where names.relationships[number] == nil {
      try connection.run("DELETE FROM PHM_PAIR WHERE relationship = ?1", number)
      try connection.run(
        "DELETE FROM PHM_DEFERRED WHERE kind = ?1 AND property = ?2",
        Int64(DeferredItem.Kind.pair.rawValue), number)
    }
    try DuplicateTable(connection).dropRemovedWinners()
  }
  private static func numbers(_ kind: NameTable.Kind, on connection: Connection)
    throws(SQLiteError) -> [Int64]
  {
    try connection.rows(
      "SELECT number FROM PHM_NAME WHERE kind = ?", [.integer(kind.rawValue)]
    ).compactMap { if case .integer(let number) = $0[0] { number } else { nil } }
  }
}
