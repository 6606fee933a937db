/// The time at which a transaction takes its locks.
package enum TransactionKind: String, Sendable {
  /// At the first read or write; for reading.
  ///
  /// A write after a read fails with `SQLITE_BUSY_SNAPSHOT` if another connection wrote in between;
  /// only a new transaction helps then.
  case deferred = "BEGIN DEFERRED"
  /// The write lock immediately; for writing.
  ///
  /// Nothing that was read in the transaction can be stale at the first write.
  case immediate = "BEGIN IMMEDIATE"
  /// Outside write-ahead logging, also blocks readers from the start.
  case exclusive = "BEGIN EXCLUSIVE"
}
