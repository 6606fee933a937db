import Foundation
import ManagedObjectModel
import ObjectRows
import SQLiteDriver
import SQLiteStore
import Synchronization
import TestSupport
import Testing

/// Remembers the statements that a store runs.
final class StatementRecorder: Sendable {
  private let recorded = Mutex<[String]>([])

  private let hook = Mutex<(@Sendable (String) -> Void)?>(nil)

  func add(_ statement: LoggedStatement) {
    recorded.withLock { $0.append(statement.sql) }
    hook.withLock { $0 }?(statement.sql)
  }

  /// Calls a closure after each statement.
  func setHook(_ hook: @escaping @Sendable (String) -> Void) { self.hook.withLock { $0 = hook } }

  /// The statements since the last call.
  func take() -> [String] {
    recorded.withLock { statements in
      defer { statements = [] }
      return statements
    }
  }
}

/// A new store of a model, with the record of its statements.
final class SampleStore {
  let store: SQLiteRowStore
  let layouts: ModelLayouts
  let statements = StatementRecorder()
  let path: String?
  /// The connection that the store writes with.
  private let main: Connection

  /// - Parameter folder: Where the file is made; nil keeps the store in memory.
  init(
    _ model: NSManagedObjectModel, configuration: String? = nil, in folder: URL? = nil, journal: JournalMode = .wal,
    timeout: Duration = .milliseconds(50), keepsHistory: Bool = false
  ) throws {
    layouts = .of(model)
    path = folder?.appendingPathComponent("Sample.sqlite").path
    let schema = try StoreSchema(layouts: layouts, configuration: configuration)
    let location = path.map { Connection.Location.file($0) } ?? .memory
    let connection = try Connection(location)
    main = connection
    if path.map({ !FileManager.default.fileExists(atPath: $0) }) ?? true {
      try connection.set(.autoVacuum, to: .incremental)
    }
    try connection.set(.journalMode, to: journal)
    if try connection.value("SELECT count(*) FROM sqlite_schema") == 0 { try createTables(of: schema, connection) }
    var settings = ConnectionSettings(location: location)
    settings.timeout = timeout
    settings.logging.observe = { [statements] in statements.add($0) }
    store = try SQLiteRowStore(
      identity: StoreIdentity(uuid: "00000000-0000-0000-0000-00000000000A"), schema: schema, connection: connection,
      settings: settings, externalFolder: folder?.appendingPathComponent(".Sample_SUPPORT/_EXTERNAL_DATA"),
      keepsHistory: keepsHistory)
    _ = statements.take()
  }

  subscript(name: String) -> RowLayout {
    guard let layout = layouts[named: name] else { preconditionFailure("The model has no entity \(name).") }
    return layout
  }

  /// Makes the disk full at so many pages.
  func setMaximumPages(_ pages: Int64) throws { try main.set(.maximumPageCount, to: pages) }

  /// What the first integer array of the store's connection holds.
  func rememberedKeys() throws -> [Int64] { try main.integerArray(0).values }

  /// Another connection to the same file.
  func outsider() throws -> Connection { try Connection(.file(#require(path))) }
}

private func createTables(of schema: StoreSchema, _ connection: Connection) throws {
  for table in schema.tables {
    let columns = table.columns.map { ", \($0.name) \($0.kind.sqlType)" }.joined()
    try connection.execute(
      "CREATE TABLE \(table.name) ( Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER\(columns) )")
    for join in table.joinTables {
      let columns = join.columns.map { "\($0) INTEGER" }.joined(separator: ", ")
      try connection.execute(
        "CREATE TABLE \(join.name) ( \(columns), PRIMARY KEY (\(join.firstColumn), \(join.secondColumn)) )")
    }
    for entity in table.entities { try createIndexes(of: entity, connection) }
  }
  try connection.execute(
    "CREATE TABLE Z_PRIMARYKEY (Z_ENT INTEGER PRIMARY KEY, Z_NAME VARCHAR, Z_SUPER INTEGER, Z_MAX INTEGER)")
  for entity in schema.entities {
    try connection.run(
      "INSERT INTO Z_PRIMARYKEY VALUES (?, ?, ?, 0)",
      [.integer(Int64(entity.number)), .text(entity.name), .integer(Int64(entity.superNumber))])
  }
}

private func createIndexes(of entity: EntitySchema, _ connection: Connection) throws {
  for constraint in entity.layout.entity.uniquenessConstraintNames {
    let columns = constraint.compactMap { entity.column(named: $0)?.name }.joined(separator: ", ")
    let name = "Z_\(entity.name)_UNIQUE_\(constraint.joined(separator: "_"))"
    try connection.execute("CREATE UNIQUE INDEX \(name) ON \(entity.table) (\(columns))")
  }
  for case let column? in entity.columns where column.orderColumn != nil || column.entityColumn != nil {
    try connection.execute(
      "CREATE INDEX IF NOT EXISTS \(entity.table)_\(column.name)_INDEX ON \(entity.table) (\(column.name))")
  }
}
