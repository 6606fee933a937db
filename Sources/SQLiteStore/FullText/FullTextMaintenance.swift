import ObjectRows
import SQLiteDriver

/// Creates, repairs and removes the full-text indexes of a file that matches its model.
struct FullTextMaintenance {
  let schema: StoreSchema
  let options: StoreOptions

  // MARK: Existing indexes

  /// The indexes of a schema that the file has in the same form, with their triggers.
  static func usable(_ schema: StoreSchema, on connection: Connection) throws(SQLiteError)
    -> [FullTextIndex]
  {
    guard !schema.fullTextIndexes.isEmpty else { return [] }
    let definitions = try definitions(on: connection)
    return schema.fullTextIndexes.filter { index in
      definitions[index.name] == index.definition
        && index.triggers.allSatisfy { definitions[$0.name] == $0.definition }
        && isReadable(index, connection)
    }
  }

  /// The full-text tables and triggers of the file, by name.
  private static func definitions(on connection: Connection) throws(SQLiteError) -> [String: String]
  {
    let rows = try connection.rows(
      "SELECT name, sql FROM sqlite_schema WHERE sql NOT NULL AND name GLOB 'PHF_*'")
    var definitions: [String: String] = [:]
    for row in rows {
      guard case .text(let name) = row[0], case .text(let sql) = row[1] else { continue }
      definitions[name] = sql
    }
    return definitions
  }

  /// Whether the index can answer a query: a shadow table may be missing or damaged.
  private static func isReadable(_ index: FullTextIndex, _ connection: Connection) -> Bool {
    let probe = "SELECT rowid FROM \(index.name) WHERE \(index.name) MATCH '\"a\"' LIMIT 1"
    do {
      _ = try connection.rows(probe)
      return true
    } catch {
      return false
    }
  }

  // MARK: Requested indexes

  /// Brings the file to the state that the options ask for, and returns the usable indexes.
  func run(on connection: Connection, _ usable: [FullTextIndex]) throws(SQLiteError)
    -> [FullTextIndex]
  {
    guard let isWanted = options.maintainsFullTextIndex else {
      return try repair(usable, connection)
    }
    let wanted = isWanted ? schema.fullTextIndexes : []
    return try update(to: wanted, usable, connection)
  }

  /// Repairs the indexes that the file and the schema both have, and removes all others.
  ///
  /// The option is not set, so the file gets no new indexes.
  private func repair(_ usable: [FullTextIndex], _ connection: Connection) throws(SQLiteError)
    -> [FullTextIndex]
  {
    let present = try Set(Self.tables(on: connection))
    guard !present.isEmpty else { return [] }
    return try update(
      to: schema.fullTextIndexes.filter { present.contains($0.name) }, usable, connection)
  }

  private func update(
    to wanted: [FullTextIndex], _ usable: [FullTextIndex], _ connection: Connection
  ) throws(SQLiteError) -> [FullTextIndex] {
    let sound =
      options.debugging.checksIntegrity ? usable.filter { isSound($0, connection) } : usable
    let broken = wanted.filter { !sound.contains($0) }
    let names = Set(wanted.map(\.name))
    let extra = try Self.tables(on: connection).filter { !names.contains($0) }
    guard !broken.isEmpty || !extra.isEmpty else { return wanted }
    try connection.setCheckpointsOnClose(true)
    try connection.begin(.immediate)
    do {
      for name in extra + broken.map(\.name) { try Self.remove(name, from: connection) }
      for statement in broken.flatMap(\.creation) { try connection.execute(statement) }
      try connection.commit()
    } catch {
      try? connection.rollback()
      throw error
    }
    return wanted
  }

  /// Whether the index agrees with its table; takes time linear in the length of the texts.
  private func isSound(_ index: FullTextIndex, _ connection: Connection) -> Bool {
    do {
      try connection.run(
        "INSERT INTO \(index.name)(\(index.name), rank) VALUES ('integrity-check', 1)")
      return true
    } catch {
      return false
    }
  }

  // MARK: Removing

  /// The names of the full-text tables of a file.
  private static func tables(on connection: Connection) throws(SQLiteError) -> [String] {
    try connection.rows(
      """
      SELECT name FROM sqlite_schema WHERE type = 'table' AND name GLOB 'PHF_*' \
      AND sql LIKE 'CREATE VIRTUAL TABLE%' ORDER BY name
      """
    ).compactMap { if case .text(let name) = $0[0] { name } else { nil } }
  }

  /// Removes all full-text indexes of a file inside a transaction.
  ///
  /// - Returns: Whether there were any.
  static func removeAll(from connection: Connection) throws(SQLiteError) -> Bool {
    let names = try tables(on: connection)
    for name in names { try remove(name, from: connection) }
    return !names.isEmpty
  }

  private static func remove(_ name: String, from connection: Connection) throws(SQLiteError) {
    for suffix in ["INSERT", "UPDATE", "DELETE"] {
      try connection.execute("DROP TRIGGER IF EXISTS \(name)_\(suffix)")
    }
    do {
      try connection.execute("DROP TABLE IF EXISTS \(name)")
    } catch {
      // SQLite cannot open a damaged index to remove it.
      try DamagedVirtualTables.remove(
        name, contentTables: contentTables.map { "\(name)_\($0)" }, from: connection)
    }
  }

  /// The suffixes of FTS5's shadow tables, after the index's name.
  private static let contentTables = ["data", "idx", "docsize", "config"]
}
