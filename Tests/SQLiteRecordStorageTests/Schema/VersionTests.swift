import Foundation
import RecordStorage
import SQLiteDriver
import SQLiteRecordStorage
import Testing

@Suite struct `Storage versions` {
  /// Creates a store of version 1 as the server of that version did.
  ///
  /// Never change this script. Each later version gets its own.
  private static let firstVersion = """
    PRAGMA page_size = 4096;
    PRAGMA journal_mode = wal;
    CREATE TABLE entries(key BLOB PRIMARY KEY NOT NULL, value ANY NOT NULL) STRICT, WITHOUT ROWID;
    CREATE TABLE long_values(id INTEGER PRIMARY KEY, value BLOB NOT NULL) STRICT;
    INSERT INTO long_values VALUES (1, zeroblob(1000));
    INSERT INTO entries VALUES (x'01', x'AB'), (x'02', 1);
    PRAGMA application_id = 0x50685244;
    PRAGMA user_version = 1;
    """

  @Test func `A store of version 1 is opened with its entries`() async throws {
    let folder = try TestFolder()
    try write(Self.firstVersion, to: folder.database)
    try await withEngine(in: folder.path) { engine in
      let entries = try await engine.read { try $0.entries(in: .all) }
      #expect(
        entries == [
          StorageEntry(key: StorageKey(bytes: [1]), value: [0xAB]),
          StorageEntry(key: StorageKey(bytes: [2]), value: Array(repeating: 0, count: 1_000)),
        ])
      try await engine.write { try $0.set([1], for: StorageKey(bytes: [2])) }
      #expect(try await engine.issues(isThorough: true) == [])
    }
    #expect(try Connection(.file(folder.database)).get(.userVersion) == 1)
  }

  @Test func `A store of a later version is refused and stays unchanged`() async throws {
    let folder = try TestFolder()
    try write(Self.firstVersion + "PRAGMA user_version = 2;", to: folder.database)
    let before = try Data(contentsOf: URL(fileURLWithPath: folder.database))
    let error = try await storageError(.newer) { try await withEngine(in: folder.path) { _ in } }
    #expect(error.message.contains("version 2") && error.message.contains("backup"), "\(error)")
    #expect(try Data(contentsOf: URL(fileURLWithPath: folder.database)) == before)
  }

  @Test func `A server killed during an upgrade step leaves the earlier version`() async throws {
    let folder = try TestFolder()
    try await withEngine(in: folder.path, options(Self.history(version: 1))) {
      try await $0.fill(0..<3)
    }
    await #expect(processExitsWith: .signal(SIGKILL)) { [path = folder.path as String] in
      var options = SQLiteStorageEngine.Options()
      options.schema = Self.history(version: 3) { connection throws(SQLiteError) in
        try connection.execute("DELETE FROM entries; INSERT INTO steps VALUES ('half')")
        kill(getpid(), SIGKILL)
      }
      try await withEngine(in: path, options) { _ in }
    }
    #expect(try Connection(.file(folder.database)).get(.userVersion) == 1)
    #expect(try await keys(in: folder.path, options(Self.history(version: 1))).count == 3)
    #expect(try steps(in: folder.database) == [])
  }

  @Test func `A new store has the schema and settings of the current version's script`()
    async throws
  {
    let folder = try TestFolder()
    let kept = try TestFolder()
    try await withEngine(in: folder.path) { _ in }
    try write(Self.firstVersion, to: kept.database)
    #expect(try description(of: folder.database) == description(of: kept.database))
  }

  @Test func `A store of an earlier version runs every upgrade step once`() async throws {
    let folder = try TestFolder()
    try await withEngine(in: folder.path, options(Self.history(version: 1))) {
      try await $0.fill(0..<3)
    }
    for _ in 0..<2 {
      #expect(
        try await keys(in: folder.path, options(Self.history(version: 3)))
          == (0..<3).map { key($0) })
      #expect(try steps(in: folder.database) == ["1 to 2", "2 to 3"])
    }
    let newer = try await storageError(.newer) {
      try await withEngine(in: folder.path, options(Self.history(version: 2))) { _ in }
    }
    #expect(newer.message.contains("version 3"))
  }

  @Test func `An upgrade step that fails leaves the earlier version`() async throws {
    let folder = try TestFolder()
    try await withEngine(in: folder.path, options(Self.history(version: 1))) {
      try await $0.fill(0..<3)
    }
    let broken = Self.history(version: 3) { connection throws(SQLiteError) in
      try connection.execute(
        "INSERT INTO steps VALUES ('half'); INSERT INTO no_such_table VALUES (1)")
    }
    try await storageError(.unavailable) {
      try await withEngine(in: folder.path, options(broken)) { _ in }
    }
    #expect(try Connection(.file(folder.database)).get(.userVersion) == 1)
    #expect(try await keys(in: folder.path, options(Self.history(version: 1))).count == 3)
  }

  @Test func `A tool does not upgrade a store`() async throws {
    let folder = try TestFolder()
    try await withEngine(in: folder.path, options(Self.history(version: 1))) { _ in }
    var tool = options(Self.history(version: 2))
    tool.role = .tool
    try await storageError(.older) { try await withEngine(in: folder.path, tool) { _ in } }
    #expect(try Connection(.file(folder.database)).get(.userVersion) == 1)
  }

  @Test(arguments: ["text", "database", "empty database with a version"])
  func `A file that is not a store is refused unchanged`(kind: String) async throws {
    let folder = try TestFolder()
    switch kind {
    case "text":
      try Data(String(repeating: "notes ", count: 200).utf8).write(
        to: URL(fileURLWithPath: folder.database))
    case "database": try write("CREATE TABLE t(x)", to: folder.database)
    default:
      try write("PRAGMA user_version = 1; CREATE TABLE t(x); DROP TABLE t", to: folder.database)
    }
    let before = try Data(contentsOf: URL(fileURLWithPath: folder.database))
    let error = try await storageError(.foreign) { try await withEngine(in: folder.path) { _ in } }
    #expect(error.place?.contains(folder.database) == true)
    #expect(try Data(contentsOf: URL(fileURLWithPath: folder.database)) == before)
  }

  /// A history of fictitious versions.
  ///
  /// Version 1 has the store's tables and a table of steps. The upgrade to each later version adds
  /// a row to the table of steps.
  private static func history(
    version: Int64, second: @escaping SchemaHistory.Change = step("1 to 2")
  ) -> SchemaHistory {
    SchemaHistory(
      applicationID: 0x5068_5244, version: version,
      create: { connection throws(SQLiteError) in
        try connection.execute(
          "CREATE TABLE steps(name TEXT);"
            + "CREATE TABLE entries(key BLOB PRIMARY KEY NOT NULL, value ANY NOT NULL) STRICT, WITHOUT ROWID;"
            + "CREATE TABLE long_values(id INTEGER PRIMARY KEY, value BLOB NOT NULL) STRICT")
      }, upgrades: [1: second, 2: step("2 to 3")])
  }

  private static func step(_ name: String) -> SchemaHistory.Change {
    { connection throws(SQLiteError) in
      try connection.run("INSERT INTO steps VALUES (?)", [.text(name)])
    }
  }

  private func options(_ schema: SchemaHistory) -> SQLiteStorageEngine.Options {
    var options = SQLiteStorageEngine.Options()
    options.schema = schema
    return options
  }

  private func write(_ script: String, to path: String) throws {
    let connection = try Connection(.file(path))
    try connection.execute(script)
    try connection.close()
  }

  private func steps(in path: String) throws -> [String] {
    try Connection(.file(path)).rows("SELECT name FROM steps").map { row in
      guard case .text(let name) = row[0] else { return "" }
      return name
    }
  }

  /// The file's schema and settings, with the version at the end.
  private func description(of path: String) throws -> [String] {
    let connection = try Connection(.file(path), options: .readOnly)
    let tables = try connection.rows("SELECT sql FROM sqlite_schema ORDER BY name").map { "\($0)" }
    return tables + [
      "\(try connection.get(.pageSize))", "\(try connection.get(.journalMode))",
      "\(try connection.get(.applicationID))",
      "\(try connection.get(.userVersion))",
    ]
  }
}
