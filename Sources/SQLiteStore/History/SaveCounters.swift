package import Foundation
package import ObjectRows
import SQLiteDriver
import Synchronization

extension SQLiteRowStore: ObservedStore {
  package var filesWrittenBySaves: [URL] {
    guard case .file(let url) = location else { return [] }
    return ["", "-wal", "-journal"].map { URL(fileURLWithPath: url.path + $0) }
  }

  package func makeSaveCounter() throws -> any SaveCounter {
    if keepsHistory { return TransactionCounter(store: self) }
    return try StoreError.translating { try DataVersionCounter(pool.settings.location) }
  }
}

/// Counts by the history.
private struct TransactionCounter: SaveCounter {
  let store: SQLiteRowStore
  var countsTransactions: Bool { true }
  func count() throws -> Int64 { try store.latestHistoryNumber() }
  func close() {}
}

/// Counts by SQLite's number for the state of a file, which a connection sees change with each
/// commit of others.
// Sendable: the connection lies behind a lock.
private final class DataVersionCounter: SaveCounter, @unchecked Sendable {
  private let connection: Connection
  private let lock = Mutex(())

  init(_ location: Connection.Location) throws(SQLiteError) {
    connection = try Connection(location, options: .readOnly)
  }

  var countsTransactions: Bool { false }
  func count() throws -> Int64 { try lock.withLock { _ in try connection.get(.dataVersion) } }
  func close() { lock.withLock { _ in try? connection.close() } }
}
