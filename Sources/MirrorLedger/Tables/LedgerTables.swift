import MirrorModel
import ObjectRows
package import SQLiteDriver

/// The tables of the ledger in a store's file.
///
/// | table | one row for each |
/// |---|---|
/// | `PHM_STATE` | value of the engine's state |
/// | `PHM_NAME` | name of the model, used by number (`NameTable`) |
/// | `PHM_ZONE` | zone, with the token of its feed, and its share as an archive |
/// | `PHM_OBJECT` | object: its record and its outbox entry |
/// | `PHM_PAIR` | pair of a many-to-many relationship, likewise |
/// | `PHM_OBJECT_SYSTEM`, `PHM_PAIR_SYSTEM` | system fields, apart so that saves write short rows |
/// | `PHM_DEFERRED` | item that waits for something else (`DeferredTable`) |
/// | `PHM_DUPLICATE` | loser, with the winner that absorbed it (`MergedDuplicate`) |
/// | `PHM_READER` | user that received records of a public database (`ReaderTable`) |
/// | `PHM_JOURNAL` | value that a conflict overwrote |
/// | `PHM_EVENT` | event of the engine |
///
/// A row of `PHM_OBJECT` or `PHM_PAIR` is pending exactly if `pending` and `grp` are not NULL.
package enum LedgerTables {
  /// The version of these tables.
  package static let version: Int64 = 1

  /// The common columns of objects and pairs, after those that name them.
  ///
  /// `name` is the record's name: 16 bytes for a UUID in capitals, otherwise a text. `reach`: 0
  /// never sent, 1 sent at least once, 2 acknowledged. `sent` is the time of the last request,
  /// `sentstamp` the `stamp` in it; both are NULL once the server has answered. `at` is the time of
  /// the last acknowledgement. `moves` counts how often the record moved to another zone.
  private static let recordColumns =
    "zone INTEGER NOT NULL, name NOT NULL, pending INTEGER, grp INTEGER, stamp INTEGER NOT "
    + "NULL DEFAULT 0, "
    + "reach INTEGER NOT NULL DEFAULT 0, sent REAL, sentstamp INTEGER, at REAL, tag TEXT, "
    + "moves INTEGER NOT NULL DEFAULT 0"

  /// The kinds of deferred items that belong to properties of objects.
  private static let propertyKinds = DeferredItem.Kind.ofProperties.map { String($0.rawValue) }
    .joined(separator: ", ")

  /// The statements that create the tables.
  ///
  /// In `PHM_DUPLICATE`, `attributes` has the names of attributes, one on each line; `sent` is 0
  /// until the server is known to have the merge. `readers` has a bit for each reader. `e0` to `e3`
  /// are NULL if no request before the latest one may still arrive.
  private static let creation: [String] =
    [
      "CREATE TABLE PHM_STATE(name TEXT PRIMARY KEY NOT NULL, value) WITHOUT ROWID",
      "CREATE TABLE PHM_NAME(kind INTEGER NOT NULL, owner INTEGER NOT NULL, number INTEGER NOT "
        + "NULL, name TEXT, PRIMARY KEY(kind, owner, number)) WITHOUT ROWID",
      "CREATE TABLE PHM_ZONE(number INTEGER PRIMARY KEY, owner TEXT NOT NULL, name TEXT NOT "
        + "NULL, token BLOB, share BLOB, readonly INTEGER NOT NULL DEFAULT 0, "
        + "UNIQUE(owner, name))",
      "CREATE TABLE PHM_OBJECT(entity INTEGER NOT NULL, key INTEGER NOT NULL, \(recordColumns), "
        + "m0 INTEGER NOT NULL DEFAULT 0, m1 INTEGER NOT NULL DEFAULT 0, "
        + "m2 INTEGER NOT NULL DEFAULT 0, m3 INTEGER NOT NULL DEFAULT 0, "
        + "s0 INTEGER NOT NULL DEFAULT 0, s1 INTEGER NOT NULL DEFAULT 0, "
        + "s2 INTEGER NOT NULL DEFAULT 0, s3 INTEGER NOT NULL DEFAULT 0, "
        + "e0 INTEGER, e1 INTEGER, e2 INTEGER, e3 INTEGER, PRIMARY KEY(entity, key)) WITHOUT ROWID",
      "CREATE TABLE PHM_OBJECT_SYSTEM(entity INTEGER NOT NULL, key INTEGER NOT NULL, system "
        + "BLOB, digests BLOB, "
        + "readers INTEGER, PRIMARY KEY(entity, key)) WITHOUT ROWID",
      "CREATE TRIGGER PHM_OBJECT_GONE AFTER DELETE ON PHM_OBJECT BEGIN "
        + "DELETE FROM PHM_OBJECT_SYSTEM WHERE entity = OLD.entity AND key = OLD.key; END",
      "CREATE UNIQUE INDEX PHM_OBJECT_NAME ON PHM_OBJECT(name, zone)",
      "CREATE INDEX PHM_OBJECT_PENDING ON PHM_OBJECT(grp, entity, key, pending) WHERE grp IS NOT "
        + "NULL",
      "CREATE TABLE PHM_PAIR(relationship INTEGER NOT NULL, first INTEGER NOT NULL, second "
        + "INTEGER NOT NULL, "
        + "firstentity INTEGER NOT NULL, secondentity INTEGER NOT NULL, \(recordColumns), "
        + "PRIMARY KEY(relationship, first, second)) WITHOUT ROWID",
      "CREATE TABLE PHM_PAIR_SYSTEM(relationship INTEGER NOT NULL, first INTEGER NOT NULL, "
        + "second INTEGER NOT NULL, system BLOB, "
        + "readers INTEGER, PRIMARY KEY(relationship, first, second)) WITHOUT ROWID",
      "CREATE TRIGGER PHM_PAIR_GONE AFTER DELETE ON PHM_PAIR BEGIN DELETE FROM PHM_PAIR_SYSTEM "
        + "WHERE relationship = OLD.relationship AND first = OLD.first AND second = "
        + "OLD.second; END",
      "CREATE INDEX PHM_PAIR_SECOND ON PHM_PAIR(relationship, second)",
      "CREATE UNIQUE INDEX PHM_PAIR_NAME ON PHM_PAIR(name, zone)",
      "CREATE INDEX PHM_PAIR_PENDING ON PHM_PAIR(grp, relationship, first, second, pending) "
        + "WHERE grp IS NOT NULL",
      "CREATE TABLE PHM_JOURNAL(number INTEGER PRIMARY KEY, date REAL NOT NULL, entity INTEGER "
        + "NOT NULL, key INTEGER NOT NULL, "
        + "property TEXT NOT NULL, kept BLOB, overwritten BLOB, keptisours INTEGER NOT NULL, "
        + "author TEXT, undone INTEGER NOT NULL)",
      "CREATE TABLE PHM_EVENT(number INTEGER PRIMARY KEY, identifier TEXT NOT NULL UNIQUE, type "
        + "INTEGER NOT NULL, "
        + "start REAL NOT NULL, "
        + "end REAL, succeeded INTEGER NOT NULL, error BLOB)",
      "CREATE TABLE PHM_DUPLICATE(number INTEGER PRIMARY KEY, zone INTEGER NOT NULL, name NOT "
        + "NULL, loser NOT NULL, "
        + "attributes TEXT NOT NULL, sent INTEGER NOT NULL, UNIQUE(zone, name, loser))",
      "CREATE INDEX PHM_DUPLICATE_WINNER ON PHM_DUPLICATE(zone, name, number)",
      "CREATE INDEX PHM_DUPLICATE_LOSER ON PHM_DUPLICATE(zone, loser)",
      "CREATE INDEX PHM_DUPLICATE_PENDING ON PHM_DUPLICATE(zone, name) WHERE sent = 0",
      "CREATE TABLE PHM_READER(number INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE)",
      "CREATE TABLE PHM_DEFERRED(kind INTEGER NOT NULL, entity INTEGER NOT NULL, key INTEGER NOT "
        + "NULL, zone INTEGER NOT NULL, record NOT NULL, property INTEGER NOT NULL, "
        + "dependency NOT NULL, reason TEXT, payload BLOB, "
        + "PRIMARY KEY(kind, entity, key, zone, record, property, dependency)) WITHOUT ROWID",
      "CREATE INDEX PHM_DEFERRED_DEPENDENCY ON PHM_DEFERRED(dependency, zone) "
        + "WHERE dependency <> ''",
      "CREATE TRIGGER PHM_DEFERRED_GONE AFTER DELETE ON PHM_OBJECT BEGIN DELETE FROM PHM_DEFERRED "
        + "WHERE kind IN (\(propertyKinds)) "
        + "AND entity = OLD.entity AND key = OLD.key; END",
    ]

  /// For each earlier version, the statements that create the next version of its tables.
  package static let upgrades: [Int64: [String]] = [:]

  /// Creates the tables of a new file, or upgrades those of an earlier version, in the open
  /// transaction.
  ///
  /// - Parameters:
  ///   - version: The version that the tables get.
  ///   - upgrades: For each earlier version, the statements that make the next one.
  /// - Throws: `StoreError` if the tables are of a later or unknown version.
  package static func prepare(
    on connection: Connection, version: Int64 = version, upgrades: [Int64: [String]] = upgrades
  ) throws {
    guard
      try connection.value(
        "SELECT 1 FROM sqlite_schema WHERE type = 'table' AND name = 'PHM_STATE'") != nil
    else {
      for statement in creation { try connection.execute(statement) }
      return try connection.setState(.version, to: .integer(version))
    }
    guard case .integer(let found)? = try connection.state(.version) else {
      throw incompatible(
        "an unknown version. Send all changes with the program that wrote them, then start with a "
          + "new store file, which gets everything from the cloud.", connection)
    }
    guard found <= version else {
      throw incompatible(
        "version \(found); this program reads up to version \(version). "
          + "Update the program that opens the store for mirroring.", connection)
    }
    guard found < version else { return }
    for earlier in found..<version {
      guard let step = upgrades[earlier] else {
        throw incompatible("version \(found), which this program does not upgrade.", connection)
      }
      for statement in step { try connection.execute(statement) }
    }
    try connection.setState(.version, to: .integer(version))
  }

  private static func incompatible(_ reason: String, _ connection: Connection) -> StoreError {
    StoreError(
      .incompatibleSchema, "The store keeps the state of mirroring in tables of \(reason)",
      context: ["table": "PHM_STATE", "path": connection.location.description])
  }
}

extension Connection {
  /// Returns a value of the ledger's state; nil if there is none.
  package func state(_ key: LedgerStateKey) throws(SQLiteError) -> Value? {
    let value = try value("SELECT value FROM PHM_STATE WHERE name = ?", [.text(key.name)])
    return value == .null ? nil : value
  }

  static let anyStateOfZones = "SELECT 1 FROM PHM_STATE WHERE name > ?1 AND name < ?2 LIMIT 1"

  /// Whether a value of the state is set for any zone, including the home zone.
  func hasState(_ key: LedgerStateKey) throws(SQLiteError) -> Bool {
    if try state(key) != nil { return true }
    // The names of other zones' values begin with the key and a slash. In ASCII, "0" follows "/".
    return try number(Self.anyStateOfZones, [.text("\(key.name)/"), .text("\(key.name)0")]) != nil
  }

  /// Sets a value of the ledger's state; NULL removes it.
  package func setState(_ key: LedgerStateKey, to value: Value) throws(SQLiteError) {
    if value == .null { return try run("DELETE FROM PHM_STATE WHERE name = ?", [.text(key.name)]) }
    try run(
      "INSERT INTO PHM_STATE(name, value) VALUES(?, ?) ON CONFLICT(name) DO UPDATE SET value = "
        + "excluded.value",
      [.text(key.name), value])
  }

  /// Increments a whole number of the ledger's state, from 0 if there is none, and returns it.
  func incrementState(_ key: LedgerStateKey) throws(SQLiteError) -> Int64 {
    let counted = try value(
      "INSERT INTO PHM_STATE(name, value) VALUES(?, 1) ON CONFLICT(name) DO UPDATE SET value = "
        + "value + 1 RETURNING value",
      [.text(key.name)])
    guard case .integer(let number)? = counted else { return 0 }
    return number
  }

  /// Returns a whole number of the ledger's state; 0 if there is none.
  func stateNumber(_ key: LedgerStateKey) throws(SQLiteError) -> Int64 {
    if case .integer(let number)? = try state(key) { return number }
    return 0
  }
}

extension Connection {
  /// The number of the latest transaction of the history that is in the outbox.
  ///
  /// If a save leaves pending entries, their group alone records its number, which costs no further
  /// page. Each transaction that removes such entries writes the number first (`keepNoted`).
  package func noted() throws(SQLiteError) -> Int64 {
    try number(LedgerTables.noted, [.text(LedgerStateKey.noted.name)]) ?? 0
  }

  /// Returns the number of the latest transaction with pending entries.
  func latestGroup() throws(SQLiteError) -> Int64 { try number(LedgerTables.latestGroup) ?? 0 }

  /// Writes the number of the latest transaction, before pending entries are removed.
  func keepNoted() throws(SQLiteError) {
    try run(LedgerTables.keepingNoted, [.text(LedgerStateKey.noted.name)])
  }
}

extension LedgerTables {
  private static let groups = ["PHM_OBJECT", "PHM_PAIR"].map {
    "ifnull((SELECT grp FROM \($0) WHERE grp IS NOT NULL ORDER BY grp DESC LIMIT 1), 0)"
  }.joined(separator: ", ")
  private static let written = "ifnull((SELECT value FROM PHM_STATE WHERE name = ?1), 0)"

  static let latestGroup = "SELECT max(\(groups))"
  static let noted = "SELECT max(\(written), \(groups))"
  static let keepingNoted =
    "INSERT INTO PHM_STATE(name, value) SELECT ?1, max(\(groups)) "
    + "WHERE max(\(groups)) > \(written) ON CONFLICT(name) DO UPDATE SET value = excluded.value"
}
