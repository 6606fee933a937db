package import Foundation
import ManagedObjectModel
package import ObjectRows
package import SQLiteDriver
import Synchronization

/// A store in SQLite's file: rows in Core Data's layout.
///
/// Readers work side by side, and beside the writer, where the file has a write-ahead log.
// Sendable: immutable but for what has locks of its own.
package final class SQLiteRowStore: @unchecked Sendable {
  package let identity: StoreIdentity
  package let schema: StoreSchema
  let pool: ConnectionPool
  let translator: FetchTranslator
  let plans: ReadPlans
  let writePlans: WritePlans
  let historyPlans: HistoryPlans
  /// The history's tables as they were last seen; nil until the file has them.
  let historyShape = Mutex<HistoryShape?>(nil)
  /// Whether saves are recorded in the history.
  package let keepsHistory: Bool
  let reader: RowReader
  let location: StoreLocation

  /// Takes over a connection to a file that has the schema's tables.
  ///
  /// - Parameter externalFolder: The folder of large values; nil keeps all values in their rows.
  package init(
    identity: StoreIdentity, schema: StoreSchema, connection: Connection, settings: ConnectionSettings,
    externalFolder: URL?, keepsHistory: Bool = false, location: StoreLocation = .memory,
    prepareForWriting: (() throws -> Void)? = nil
  ) throws {
    self.location = location
    self.identity = identity
    self.schema = schema
    pool = try StoreError.translating {
      try ConnectionPool(connection, settings: settings, prepareForWriting: prepareForWriting)
    }
    translator = FetchTranslator(schema: schema, identity: identity)
    plans = ReadPlans(schema)
    writePlans = WritePlans(schema)
    historyPlans = HistoryPlans(schema)
    self.keepsHistory = keepsHistory
    reader = RowReader(numbers: EntityNumbers(schema), externalFolder: externalFolder)
  }

  package var layouts: ModelLayouts { schema.layouts }

  package func close() throws { try pool.close() }
}
