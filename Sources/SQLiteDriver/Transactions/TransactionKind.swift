/// When a transaction takes its locks.
package enum TransactionKind: String, Sendable {
  /// At the first read or write. A write after a read fails with `SQLITE_BUSY_SNAPSHOT` when
  /// another connection wrote in between, and then only a new transaction helps: for reading.
  case deferred = "BEGIN DEFERRED"
  /// The write lock at once, so that nothing read inside can be out of date at the first write: for
  /// writing.
  case immediate = "BEGIN IMMEDIATE"
  /// Outside write-ahead logging, also keeps readers out from the start.
  case exclusive = "BEGIN EXCLUSIVE"
}
