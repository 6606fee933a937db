/// The bounds of this module, each with its reason.
package enum Limits {
  /// Prepared statements that a connection keeps idle.
  ///
  /// A store's working set is a handful of statements per entity; each takes a few kilobytes, so
  /// that this bound costs well under a megabyte.
  package static let statementCacheCapacity = 64

  /// Idle statements that are compared one by one before any is looked up by its hash.
  ///
  /// A loop that inserts a record takes three in turns; more than some would cost what the hash
  /// costs.
  package static let latestStatements = 8

  /// How long a connection waits for a lock before it gives up with `SQLITE_BUSY`.
  ///
  /// SQLite's own default is not to wait at all, which makes two processes fail that could have
  /// taken turns.
  package static let busyTimeout = Duration.seconds(5)

  /// Problems that one integrity check reports: SQLite's own default.
  ///
  /// A broken file has either few or too many to read.
  package static let integrityProblems = 100

  /// Integer-array tables of one connection.
  ///
  /// A statement needs one per `IN` list, and SQLite joins at most 64 tables.
  package static let integerArrays = 64

  /// Pages that a backup copies between two reports: four megabytes at the usual page size.
  package static let backupPagesPerStep = 1024

  /// Bytes that a statement keeps per parameter to bind text and blobs without an allocation.
  ///
  /// Longer values, which are dominated by the copy itself, are handed to SQLite to copy.
  package static let parameterBufferBytes = 1024

  /// Columns of the rows that an aggregate function takes.
  ///
  /// SQLite counts the arguments of a function up to a limit of the build: 127 for long, 1000
  /// lately, 100 at first. Rows with more columns are stepped.
  package static let collectedColumns = 100

  /// The longest SQL text that an error carries.
  ///
  /// A longer one is cut, since errors end up in logs.
  package static let errorSQLBytes = 2048
}
