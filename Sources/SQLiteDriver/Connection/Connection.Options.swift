extension Connection {
  /// What may be done with the file.
  package enum Mode: Hashable, Sendable {
    /// Nothing is written. A write-ahead log beside the file is still read.
    case readOnly
    /// The file must exist.
    case readWrite
    /// The file is created where it is missing.
    case create
  }

  /// How a database is opened.
  package struct Options: Sendable {
    package var mode: Mode

    /// Promises that nobody changes the file while it is open: no locks are taken, a write-ahead
    /// log is ignored, and the folder may be read-only.
    ///
    /// A broken promise gives wrong results.
    package var isImmutable = false

    /// What to do when another connection holds a lock.
    package var busyPolicy = BusyPolicy.wait(Limits.busyTimeout)

    /// Gathers what a transaction writes into the write-ahead log, and gives it to the system in
    /// long pieces.
    ///
    /// For connections that write much, with `synchronous` FULL: `CSQLiteGatheredLog` says why no
    /// other may.
    package var gathersLog = false

    /// The registered layer (SQLite calls it a VFS) through which files are reached, or nil for the
    /// usual one.
    ///
    /// Without effect on connections that gather the log, which have a layer of their own.
    package var fileLayer: String?

    /// Keeps SQL from damaging the file on purpose: no writes to shadow tables or `sqlite_schema`,
    /// no `journal_mode=OFF`.
    ///
    /// On, since a store has no need for any of these.
    package var isDefensive = true

    /// Lets the schema of the file (triggers, views, indexes) call functions that are not marked
    /// `innocuous`.
    ///
    /// Off, since a file can come from anybody.
    package var trustsSchema = false

    /// How many idle prepared statements are kept; 0 keeps none.
    package var statementCacheCapacity = Limits.statementCacheCapacity

    package init(mode: Mode = .create) { self.mode = mode }

    /// The options of a connection that only reads.
    package static var readOnly: Options { Options(mode: .readOnly) }
  }
}
