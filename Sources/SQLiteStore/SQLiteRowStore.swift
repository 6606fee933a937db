import Foundation
import ManagedObjectModel
package import ObjectRows
import SQLiteDriver
import Synchronization

/// A store in an SQLite file, in Core Data's layout.
///
/// If the file has a write-ahead log, readers run concurrently with each other and with the writer.
// Sendable: immutable, except for properties with locks.
package final class SQLiteRowStore: RowStore, HistoryStore, @unchecked Sendable {
  package let identity: StoreIdentity
  package let schema: StoreSchema
  package let location: StoreLocation
  /// The store's connections, also for a layer above that keeps its own tables in the file.
  package let pool: ConnectionPool
  let reader: RowReader
  let translator: FetchTranslator
  let plans: ReadPlans
  let relationships: RelationshipQueries
  let writePlans: WritePlans
  let historyPlans: HistoryPlans
  /// The last known layout of the history's tables; nil until the file has them.
  let historyLayout: Mutex<HistoryLayout?>
  /// Whether saves are recorded in the history.
  package let keepsHistory: Bool
  /// The derived values that triggers computed; nil if the store has no derived attributes.
  let derivedNotices: DerivedNotices?
  /// The counts of the store's statements, if they are counted.
  package let statementCounts: StatementCounts?
  /// The storage of `companion`.
  let companionBox = Mutex<(any SaveCompanion)?>(nil)

  /// Takes over an opened store.
  ///
  /// - Parameter logging: The logging of statements; by default that of the process.
  package init(_ opened: OpenedStore, logging: StatementLogging = .current) throws {
    identity = opened.identity
    schema = opened.schema
    location = opened.location
    keepsHistory = opened.tracksHistory
    historyLayout = Mutex(opened.history)
    let notices = schema.hasDerivedAttributes ? DerivedNotices() : nil
    derivedNotices = notices
    if let notices { try registerDerivedNotices(on: opened.connection, notices.add) }
    statementCounts = opened.options.countsStatements ? StatementCounts() : nil
    var logging = logging
    logging.statistics = statementCounts
    pool = try ConnectionPool(opened, logging: logging)
    reader = RowReader(numbers: EntityNumbers(schema), externalFolder: opened.valueFolder)
    translator = FetchTranslator(
      schema: schema, identity: identity, fullTextIndexes: opened.fullTextIndexes)
    plans = ReadPlans(schema)
    relationships = RelationshipQueries(schema, plans)
    writePlans = WritePlans(schema)
    historyPlans = HistoryPlans(schema)
  }

  /// Creates a view of a store that reads through other connections.
  init(_ store: SQLiteRowStore, through pool: ConnectionPool) {
    identity = store.identity
    schema = store.schema
    location = store.location
    keepsHistory = false
    derivedNotices = nil
    statementCounts = store.statementCounts
    historyLayout = Mutex(store.historyLayout.withLock { $0 })
    self.pool = pool
    reader = store.reader
    translator = store.translator
    plans = store.plans
    relationships = store.relationships
    writePlans = store.writePlans
    historyPlans = store.historyPlans
  }

  package var layouts: ModelLayouts { schema.layouts }

  package func close() throws { try pool.close() }
}

extension ConnectionPool {
  /// Takes over the connection of an opened store.
  package convenience init(_ opened: OpenedStore, logging: StatementLogging) throws(StoreError) {
    var settings = opened.connectionSettings
    settings.logging = logging
    try self.init(
      opened.connection, settings: settings, makeReader: opened.makeReader,
      prepareForWriting: opened.writePreparation)
  }
}
