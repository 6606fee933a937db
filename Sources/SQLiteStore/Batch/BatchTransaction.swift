import Foundation
import ObjectRows
import SQLiteDriver
import Synchronization

/// One batch request, as one transaction: its rows, its history, and the companion's part.
final class BatchTransaction {
  let store: SQLiteRowStore
  let connection: Connection
  let writer: RowWriter
  var receipt = BatchReceipt()
  private let description: TransactionDescription
  /// The history of the request; nil before the first change, or without a history.
  private var history: HistoryWriter?

  init(
    _ store: SQLiteRowStore, _ connection: Connection, _ description: TransactionDescription
  ) {
    self.store = store
    self.connection = connection
    self.description = description
    let files = ExternalFiles(folder: store.reader.externalFolder)
    writer = RowWriter(
      connection: connection, files: files,
      binder: RowBinder(numbers: store.reader.numbers, files: files))
  }

  /// Writes everything and commits, or writes nothing.
  func run(_ body: (BatchTransaction) throws -> Void) throws -> BatchReceipt {
    // Discards the derived rows of an earlier save that failed.
    _ = store.takeDerivedRows()
    do {
      try connection.transaction(.exclusive) {
        try body(self)
        try history?.finish()
        receipt.transactionNumber = history?.transaction
        if receipt.hasChanges { try store.companion?.noteBatch(of: store, on: connection) }
      }
    } catch {
      writer.files.cancel()
      throw error
    }
    writer.files.finish(on: connection)
    receipt.stale += store.takeDerivedRows()
    return receipt
  }

  // MARK: History

  /// Records changes, if the store has a history.
  ///
  /// The first call writes the row of the transaction.
  func record(_ body: (inout HistoryWriter) throws -> Void) throws {
    guard store.keepsHistory, let tables = store.historyLayout.withLock({ $0 }) else { return }
    if history == nil {
      let writer = try HistoryWriter(connection, store.historyPlans, tables)
      try writer.write(description)
      history = writer
    }
    guard var writer = history else { return }
    defer { history = writer }
    try body(&writer)
  }

  /// Records an update of all rows of a table of keys.
  func recordUpdate(_ changed: OrdinalSet, of keys: KeyTable) throws {
    for entity in try entities(in: keys) {
      try record { try $0.write(.update, keys, of: entity, changed: changed) }
    }
  }

  // MARK: Keys

  /// An empty table of keys.
  func makeKeys(_ purpose: KeyTable.Purpose, of root: EntitySchema) throws -> KeyTable {
    let keys = KeyTable(purpose, rootNumber: root.rootNumber)
    try keys.prepare(on: connection)
    return keys
  }

  /// The entities of the rows in a table of keys, by number.
  ///
  /// An entity without relatives is returned whether or not the table has rows.
  func entities(in keys: KeyTable, round: Int? = nil) throws -> [EntitySchema] {
    if let root = store.schema.entity(number: keys.rootNumber), !root.isInHierarchy {
      return [root]
    }
    let condition = round.map { " WHERE round = \($0)" } ?? ""
    return try connection.rows("SELECT DISTINCT entity FROM \(keys.name)\(condition) ORDER BY 1")
      .compactMap { row in
        guard case .integer(let number) = row[0] else { return nil }
        return store.schema.entity(number: Int(number))
      }
  }

  /// Adds the keys that a fetch finds.
  func add(_ fetch: RowFetch, to keys: KeyTable) throws {
    let translated = try store.translator.keys(fetch)
    try connection.withIntegers(translated.integerArrays) {
      try connection.run(
        "INSERT OR IGNORE INTO \(keys.name)(entity, key) \(translated.sql)", translated.bindings)
    }
  }

  /// The keys of a table.
  ///
  /// - Parameter byRound: Whether a cascade may have added keys, which then come after the others.
  func keys(in table: KeyTable, byRound: Bool = false) throws -> ContiguousArray<RowKey> {
    var keys = ContiguousArray<RowKey>()
    // Without rounds, SQLite reads the keys in their order and sorts nothing.
    var statement = try connection.prepare(
      "SELECT key, entity FROM \(table.name) ORDER BY \(byRound ? "round, " : "")key")
    try statement.readRows { row in
      let layoutIndex = store.reader.numbers.layoutIndex(ofEntity: row.int64(at: 1))
      if layoutIndex >= 0 { keys.append(RowKey(key: row.int64(at: 0), layoutIndex: layoutIndex)) }
    }
    return keys
  }

  /// Records the external files of a table's rows, which are about to release them.
  func releaseExternalValues(
    of schema: EntitySchema, among ordinals: some Sequence<Int>, _ keys: KeyTable
  ) throws {
    let columns = schema.externalColumns(among: ordinals)
    guard !columns.isEmpty else { return }
    var statement = try connection.prepare(
      "SELECT \(columns.joined(separator: ", ")) FROM \(schema.table) WHERE Z_PK IN "
        + keys.select(of: schema))
    try writer.releaseExternalValues(from: &statement)
  }
}
