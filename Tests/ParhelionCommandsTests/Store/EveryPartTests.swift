import Foundation
import ParhelionCommands
import SQLiteDriver
import SQLiteStore
import TestSupport
import Testing

/// Damages every column, table, index and trigger of the sample store in turn, and expects an
/// issue.
@Suite struct `The check of damaged columns and tables` {
  /// The sample store, which is restored after each damage.
  private struct Store {
    let url: URL
    let bytes: Data

    init(in folder: URL) throws {
      url = URL(fileURLWithPath: try SampleStore.make(in: folder))
      let connection = try Connection(.file(url.path), options: .init(mode: .readWrite))
      try connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
      try connection.close()
      bytes = try Data(contentsOf: url)
    }

    func reset() throws {
      for suffix in ["-wal", "-shm"] where FileManager.default.fileExists(atPath: url.path + suffix)
      {
        try FileManager.default.removeItem(atPath: url.path + suffix)
      }
      try bytes.write(to: url)
    }

    func connect() throws -> Connection {
      var options = Connection.Options(mode: .readWrite)
      // Triggers fill the location index.
      options.trustsSchema = true
      let connection = try Connection(.file(url.path), options: options)
      try registerStoreFunctions(on: connection)
      return connection
    }

    /// Restores the store, and changes it by SQL.
    func damage(_ sql: String) throws {
      try reset()
      let connection = try connect()
      try connection.execute(sql)
      try connection.close()
    }

    func rows(_ sql: String) throws -> [[Value]] {
      let connection = try connect()
      let rows = try connection.rows(sql)
      try connection.close()
      return rows
    }
  }

  private func check(_ store: Store) -> (status: CommandStatus, text: String) {
    let console = RecordingConsole()
    let status = ParhelionTool.run(["store", "check", store.url.path], console: console)
    return (status, console.result + console.messages)
  }

  private func text(_ value: Value) -> String {
    if case .text(let text) = value { text } else { "" }
  }

  /// Tables of a location index, which SQLite maintains.
  private static let isShadow =
    "name GLOB 'Z_RT_*_node' OR name GLOB 'Z_RT_*_rowid' OR name GLOB 'Z_RT_*_parent'"

  @Test func `A value of the wrong kind is found in every column`() throws {
    try withTemporaryDirectory { folder in
      let store = try Store(in: folder)
      let columns = try store.rows(
        """
        SELECT t.name, c.name, c.type FROM (SELECT name, sql FROM sqlite_schema WHERE type = 'table' AND NOT (\(Self.isShadow))) t,
          pragma_table_info(t.name) c
        WHERE t.sql NOT LIKE 'CREATE VIRTUAL%' AND c.pk = 0 OR t.name GLOB 'Z_[0-9]*' ORDER BY 1, c.cid
        """)
      #expect(columns.count > 70)
      for column in columns {
        let (table, name) = (text(column[0]), text(column[1]))
        let value = text(column[2]) == "BLOB" ? "'a text'" : "x'00FF'"
        try store.damage(
          "UPDATE \(table) SET \(name) = \(value) WHERE rowid = (SELECT min(rowid) FROM \(table))")
        let (status, text) = check(store)
        #expect(status == .failure, "\(table).\(name): \(text)")
        #expect(text.contains(table), "\(table).\(name): \(text)")
      }
    }
  }

  @Test func `Every missing table, index and trigger is found`() throws {
    try withTemporaryDirectory { folder in
      let store = try Store(in: folder)
      let parts = try store.rows(
        "SELECT type, name FROM sqlite_schema WHERE name NOT LIKE 'sqlite_%' AND NOT (\(Self.isShadow)) ORDER BY rowid"
      )
      #expect(parts.count > 40)
      for part in parts {
        let (kind, name) = (text(part[0]), text(part[1]))
        try store.damage("DROP \(kind) \(name)")
        let (status, text) = check(store)
        #expect(status == .failure && !text.isEmpty, "\(kind) \(name)")
      }
    }
  }

  @Test func `Random changes do not crash the commands`() throws {
    var random = SeededGenerator.forTest()
    let values = [
      "NULL", "-1", "0", "9223372036854775807", "''", "'ZTHING'", "x''", "x'00FF'", "1.5", "9e999",
      "'a'' \"b'",
    ]
    try withTemporaryDirectory { folder in
      let store = try Store(in: folder)
      let columns = try store.rows(
        "SELECT t.name, c.name FROM sqlite_schema t, pragma_table_info(t.name) c WHERE t.type = 'table' ORDER BY 1, c.cid"
      )
      for _ in 0..<40 {
        let changes = (0..<Int.random(in: 1...4, using: &random)).map { _ in
          let column = columns.randomElement(using: &random) ?? []
          let (table, value) = (text(column[0]), values.randomElement(using: &random) ?? "")
          let kept = Int.random(in: 0..<3, using: &random)
          return
            "UPDATE OR IGNORE \(table) SET \(text(column[1])) = \(value) WHERE rowid % 3 <> \(kept)"
        }
        try store.reset()
        let connection = try store.connect()
        // SQLite refuses some changes, such as a text as a key or a change of internal tables.
        for change in changes { try? connection.execute(change) }
        try connection.close()
        for command in ["inspect", "dump", "check"] {
          let console = RecordingConsole()
          let status = ParhelionTool.run(
            ["store", command, store.url.path, "--json"], console: console)
          #expect(
            status == .success || !(console.result + console.messages).isEmpty,
            "\(command) \(changes) \(random)")
        }
      }
    }
  }
}
