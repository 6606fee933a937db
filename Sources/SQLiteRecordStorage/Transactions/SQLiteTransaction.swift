internal import RecordStorage
internal import SQLiteDriver

/// What a body reads and writes with: a connection for the time of one transaction.
///
/// An operation that failed is remembered. Whatever the body makes of the error, the transaction is
/// not committed then: half of an operation could be in it.
final class SQLiteTransaction {
  let connection: Connection
  private(set) var failure: StorageError?
  /// Whether the body has asked for a change, so that there may be something to roll back.
  private(set) var hasWritten = false
  private var openVisits = 0
  private var isOver = false

  init(on connection: Connection) { self.connection = connection }

  /// Runs a body, and gives the error of an operation that the body caught.
  func run(_ job: any PendingTransaction) throws {
    defer { isOver = true }
    try job.run(in: self)
    if let failure { throw failure }
  }

  /// Runs an operation, whose error is the store's and is remembered.
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
      "A visitor may read the store, not write it: collect what it sees, and write afterwards.")
    hasWritten = true
  }

  private func checkIsRunning() {
    precondition(!isOver, "The transaction is over: nothing may keep it longer than its body runs.")
  }
}
