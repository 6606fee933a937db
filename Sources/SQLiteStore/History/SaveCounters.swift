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

/// Counts saves by the history's latest transaction number.
private struct TransactionCounter: SaveCounter {
  let store: SQLiteRowStore
  var countsTransactions: Bool { true }
  func count() throws -> Int64 { try store.latestHistoryNumber() }
  func close() {}
}

/// Counts saves by SQLite's `data_version`, which changes on a connection when others commit.
// Sendable: a lock protects the connection.
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
