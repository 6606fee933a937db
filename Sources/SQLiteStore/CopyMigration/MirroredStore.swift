import SQLiteDriver

/// Whether a store is mirrored, so that its rows must keep their keys.
enum MirroredStore {
  /// The reason why the store's objects cannot be copied into another store; nil if they can.
  static func reasonAgainstCopying(_ connection: Connection, path: String) throws(SQLiteError)
    -> String?
  {
    let file = try FileSchema(connection, tables: ["PHM_NAME", "ANSCKRECORDMETADATA"])
    for (table, mirror) in [
      ("PHM_NAME", "CloudKit"), ("ANSCKRECORDMETADATA", "Apple's CloudKit"),
    ]
    where file.hasTable(table) {
      guard try connection.value("SELECT 1 FROM \(table) LIMIT 1") != nil else { continue }
      return
        """
        The store \(path) is mirrored with \(mirror). A migration with a mapping model gives its \
        objects new identifiers, so they would arrive in the cloud a second time. Let the mapping \
        be inferred, or use a staged migration.
        """
    }
    return nil
  }
}
