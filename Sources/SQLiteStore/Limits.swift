/// The limits of this module, each with its reason.
package enum Limits {
  /// The size from which a value that allows external storage moves to a file.
  ///
  /// Core Data's threshold lies somewhere between 100 and 128 kilobytes.
  package static let externalDataBytes = 100 * 1024

  /// The time that a connection waits for a lock: Core Data's default for
  /// `NSPersistentStoreTimeoutOption`.
  package static let lockTimeout = Duration.seconds(240)

  /// The pages in SQLite's cache for one connection, as in Core Data: four megabytes.
  package static let cachedPages: Int64 = 1000

  /// The prepared statements in one connection's cache.
  ///
  /// A store uses about five for each entity; each takes a few kilobytes.
  package static let statementsPerConnection = 256

  /// The idle reading connections that stay open: about as many as usually read at once.
  ///
  /// Each holds a few file descriptors and up to `cachedPages`.
  package static let idleReaders = 4

  /// The rows on one page of memory.
  ///
  /// A page is one allocation. More rows would hardly save allocations, but would keep more memory
  /// in use while one row of a page is alive.
  package static let rowsOfPage = 256

  /// The rows on the first page of a fetch of unknown size: most fetches find a few objects.
  package static let rowsOfFirstPage = 8

  /// The number of found rows up to which the next fetch of the same shape steps its statement.
  ///
  /// The bulk interface (`RowQuery`) costs 180 ns for the statement, and saves 120 ns for each row.
  package static let rowsToStep = 2

  /// The growth factor of the pages of one fetch.
  package static let pageGrowth = 4

  /// The cached update statements: one for each set of properties that a program changes together.
  package static let updatePlans = 1024

  /// The free pages that any file may keep: a megabyte.
  package static let freePagesKept: Int64 = 256

  /// The share of free pages that a file may keep: one in this many.
  package static let freePagesShare: Int64 = 10

  /// The longest list of integers or keys that is bound as single parameters; a longer one is an
  /// integer array.
  ///
  /// Each length up to this one has its own statement.
  package static let integersInText = 8

  /// The longest list of texts that is bound as single parameters.
  ///
  /// A longer one is bound as one JSON text, which costs less.
  package static let textsInText = 64

  /// The length up to which a list is padded to a power of two.
  ///
  /// A longer list is padded to a multiple of this number, unless it nearly fills a statement. A
  /// list of up to `integersInText` values is not padded.
  static let paddingStep = 1024

  /// The parameters of one statement: SQLite's default limit.
  package static let values = 32_766

  /// The longest chain of ANDs or ORs that is written without parentheses.
  ///
  /// SQLite's default limit for the depth of an expression is 1000.
  package static let chainedConditions = 100

  /// The fetch translations in a store's cache.
  ///
  /// A program has a few dozen shapes of fetches; each takes about two kilobytes.
  package static let translations = 512

  /// The maximum number of remembered statements whose plans were logged.
  ///
  /// Each plan is logged once. When the limit is reached, the log may repeat a plan.
  package static let explainedStatements = 1000

  /// The characters of a literal that a log shows, so that a person can read the statement.
  package static let loggedLiteral = 200

  /// The maximum number of statements whose executions are counted; a few dozen are usual.
  package static let countedStatements = 2000

  /// The framework version that new stores record: the newest of Apple's versions with which this
  /// module was compared.
  package static let frameworkVersion = 1344

  /// The entity numbers that are read from a file; others are ignored.
  ///
  /// A model's numbers begin at 1 and a history's at 16001. Arrays that are indexed by number must
  /// stay small.
  package static let entityNumbers: ClosedRange<Int64> = 1...0xF_FFFF

  /// The columns of a table: SQLite's default limit.
  package static let columns = 2000
}
