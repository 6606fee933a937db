import Foundation
import ObjectRows
import PropertyLists
import SQLiteDriver

/// The work that a migration left for later: removing tables and columns that are no longer used.
///
/// The store's metadata lists the tasks, so that they survive the process. As long as there are
/// tasks, the metadata has `NSPersistentStoreDeferredLightweightMigrationOptionKey` with the value
/// true. `performDeferredTask()` performs one task in one transaction.
package struct DeferredCleanup: Hashable, Sendable {
  /// A table or a column to remove.
  package enum Task: Hashable, Sendable {
    case table(String)
    case column(String, table: String)
  }

  package private(set) var tasks: [Task]

  init(tasks: [Task] = []) { self.tasks = tasks }

  /// Reads the tasks of a store; names that could be no table or column are skipped.
  package init(_ metadata: StoreMetadata) {
    guard case .array(let texts)? = metadata.entries[StoreMetadata.Key.deferredTasks] else {
      tasks = []
      return
    }
    tasks = texts.compactMap { text in
      guard case .string(let text) = text else { return nil }
      let parts = text.split(separator: ".").map(String.init)
      guard parts.allSatisfy(isIdentifier) else { return nil }
      switch parts.count {
      case 1: return .table(parts[0])
      case 2: return .column(parts[1], table: parts[0])
      default: return nil
      }
    }
  }

  /// Writes the tasks into the metadata.
  func describe(in metadata: inout StoreMetadata) {
    let texts = tasks.map { task in
      switch task {
      case .table(let name): PropertyList.string(name)
      case .column(let name, let table): PropertyList.string("\(table).\(name)")
      }
    }
    metadata.entries[StoreMetadata.Key.deferredTasks] = texts.isEmpty ? nil : .array(texts)
    metadata.entries[StoreMetadata.Key.deferred] = texts.isEmpty ? nil : .boolean(true)
  }

  /// Performs the first task; returns whether there was one.
  ///
  /// The connection has an open transaction.
  mutating func performFirst(on connection: Connection) throws(SQLiteError) -> Bool {
    guard let task = tasks.first else { return false }
    tasks.removeFirst()
    let file = try FileSchema(connection)
    switch task {
    case .table(let name):
      guard name.hasPrefix(Self.tablePrefix) else { break }
      try connection.execute("DROP TABLE IF EXISTS \(name)")
    case .column(let name, let table):
      guard file.has(name, in: table) else { break }
      try connection.execute("ALTER TABLE \(table) DROP COLUMN \(name)")
    }
    return true
  }

  /// Performs all tasks.
  mutating func performAll(on connection: Connection) throws(SQLiteError) {
    while try performFirst(on: connection) {}
  }

  // MARK: Planning

  /// The beginning of the names of tables that wait to be dropped.
  private static let tablePrefix = "Z_DEFERRED_"

  /// The name of a table that waits to be dropped.
  static func name(of table: String) -> String { "\(tablePrefix)\(table)" }

  /// Adds tasks for tables, and returns the statements that rename the tables until then.
  mutating func setAside(_ names: [String]) -> [String] {
    tasks += names.map { .table(Self.name(of: $0)) }
    return names.map { "ALTER TABLE \($0) RENAME TO \(Self.name(of: $0))" }
  }

  /// Records the columns that a table keeps although no property has them.
  mutating func keep(_ columns: [String], of table: String) {
    tasks += columns.map { .column($0, table: table) }
  }
}
