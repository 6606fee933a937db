/// The limits of this module, each with its reason.
package enum Limits {
  /// The size from which a value that may lie in a file of its own does so.
  ///
  /// Core Data's is a rule of thumb somewhere between 100 and 128 kilobytes.
  package static let externalDataBytes = 100 * 1024

  /// How long a connection waits for the locks of others: Core Data's default for
  /// `NSPersistentStoreTimeoutOption`.
  package static let lockTimeout = Duration.seconds(240)

  /// Pages that SQLite keeps in memory for one connection, as Core Data sets it: four megabytes.
  package static let cachedPages: Int64 = 1000

  /// Prepared statements that one connection keeps.
  ///
  /// A store uses about five for each entity that is in use; each takes a few kilobytes.
  package static let statementsPerConnection = 256

  /// Reading connections that stay open when nobody reads: as many threads as usually read at once.
  ///
  /// Each holds a few file descriptors and up to `cachedPages`.
  package static let idleReaders = 4

  /// Rows of a page of memory.
  ///
  /// More would save nothing: a page is one allocation. Fewer rows die together with their last
  /// user.
  package static let rowsOfPage = 256

  /// Rows of the first page of a fetch of unknown size, since most fetches find a few objects.
  package static let rowsOfFirstPage = 8

  /// Rows up to which a fetch is stepped the next time.
  ///
  /// Handing rows on costs 180 ns for the statement, and saves 120 for each row
  /// (`Sources/SQLiteDriver/DESIGN.md`).
  package static let rowsToStep = 2

  /// How much larger each page of a fetch is than the one before.
  package static let pageGrowth = 4

  /// Update statements whose plans are kept: one for each set of properties that a program changes
  /// together.
  package static let updatePlans = 1024

  /// Free pages that a file may keep whatever its size: a megabyte.
  package static let freePagesKept: Int64 = 256

  /// A file may keep one free page for this many.
  package static let freePagesShare: Int64 = 10

  /// The longest list of whole numbers or keys that is written as parameters; a longer one is an
  /// integer array.
  ///
  /// Up to here every length has a statement of its own.
  package static let integersInText = 8

  /// The longest list of texts that is written as parameters.
  ///
  /// A longer one is bound as one JSON text, which costs less than its parameters would.
  package static let textsInText = 64

  /// The parameters of one statement: what SQLite allows where it was built without other wishes.
  package static let values = 32_766

  /// The longest chain of ANDs or ORs that is written as one.
  ///
  /// SQLite's expressions are at most 1000 deep.
  package static let chainedConditions = 100

  /// The translated fetches that a store remembers.
  ///
  /// A program has some dozens of forms of fetches; each takes about two kilobytes.
  package static let translations = 512

  /// Statements whose plans were logged and that are remembered, so that each plan is logged once:
  /// a programmer's log may repeat itself, but not fill the memory.
  package static let explainedStatements = 1000

  /// The version of the framework that new stores name: the latest of Apple's whose stores were
  /// compared with ours.
  package static let frameworkVersion = 1344

  /// The columns of a table: what SQLite allows where it was built without other wishes.
  package static let columns = 2000
}
