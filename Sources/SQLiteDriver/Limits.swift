/// The limits of this module, each with its reason.
package enum Limits {
  /// The idle prepared statements of a connection.
  ///
  /// A store uses a handful of statements per entity. Each takes a few kilobytes, so the limit
  /// costs well under a megabyte.
  package static let statementCacheCapacity = 64

  /// The idle statements that are compared in turn before the cache hashes the SQL.
  ///
  /// A loop that inserts a record alternates between three. Comparing many more would cost as much
  /// as the hash.
  package static let latestStatements = 8

  /// The time that a connection waits for a lock before it fails with `SQLITE_BUSY`.
  ///
  /// SQLite's default is not to wait, so that two processes that could take turns would fail.
  package static let busyTimeout = Duration.seconds(5)

  /// The issues that one integrity check reports: SQLite's default.
  ///
  /// A corrupt file has either few or too many to read.
  package static let integrityIssues = 100

  /// The integer-array tables of one connection.
  ///
  /// A statement needs one per `IN` list, and SQLite joins at most 64 tables.
  package static let integerArrays = 64

  /// The result rows of one statement that a log shows; the rest are counted.
  package static let loggedRows = 100

  /// The bytes of a value that a log shows, so that a person can read a line.
  package static let loggedValueBytes = 120

  /// The pages that a backup copies in one step: four megabytes at the usual page size.
  package static let backupPagesPerStep = 1024

  /// The size of a statement's buffer for each parameter, which avoids an allocation for short
  /// values.
  ///
  /// SQLite copies longer values itself; the copy dominates their cost.
  package static let parameterBufferBytes = 1024

  /// The maximum number of columns for the bulk interface, as arguments of an aggregate function.
  ///
  /// SQLite's limit for arguments depends on the build: 100 at first, then 127, lately 1000. A
  /// statement with more columns is stepped.
  package static let collectedColumns = 100

  /// The instructions of SQLite's virtual machine after which it asks whether to interrupt.
  ///
  /// They take some tens of microseconds: a user does not notice the delay, and the question costs
  /// little in comparison.
  package static let stepsPerQuestion: Int32 = 1000

  /// The maximum length of the SQL text in an error.
  ///
  /// A longer one is truncated, because errors end up in logs.
  package static let errorSQLBytes = 2048
}
