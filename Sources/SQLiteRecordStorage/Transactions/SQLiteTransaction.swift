internal import RecordStorage
internal import SQLiteDriver

/// The transaction that a body uses, on one connection.
///
/// It remembers a failed operation. The transaction is then never committed, even if the body
/// caught the error, because it could contain half of the operation.
final class SQLiteTransaction {
  let connection: Connection
  private(set) var failure: StorageError?
  /// Whether the body has requested a change, so that a rollback may be needed.
  private(set) var hasWritten = false
  private var openVisits = 0
  private var isOver = false

  init(on connection: Connection) { self.connection = connection }

  /// Runs a body, and rethrows the error of an operation even if the body caught it.
  func run(_ job: any PendingTransaction) throws {
    defer { isOver = true }
    try job.run(in: self)
    if let failure { throw failure }
  }

  /// Runs an operation, and converts and remembers its error.
  func operate<Result: ~Copyable>(_ body: () throws -> Result) throws(StorageError) -> Result {
    checkIsRunning()
    do {
      return try body()
    } catch {
      let failed = (error as? SQLiteError).map { StorageError($0) } ?? (error as? StorageError)
      throw remember(failed ?? StorageError(.unavailable, "\(error)"))
    }
  }

  func whileVisiting(_ body: () throws -> Void) rethrows {
    checkIsRunning()
    openVisits += 1
    defer { openVisits -= 1 }
    try body()
  }

  func remember(_ error: StorageError) -> StorageError {
    if failure == nil { failure = error }
    return error
  }

  func willWrite() {
    precondition(
      openVisits == 0,
      "A visitor may read the store, but not write it: collect the entries, and write afterwards.")
    hasWritten = true
  }

  private func checkIsRunning() {
    precondition(!isOver, "The transaction has ended: it must not be used after its body returns.")
  }
}
