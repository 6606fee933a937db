extension Connection {
  /// The access to the file.
  package enum Mode: Hashable, Sendable {
    /// Reading only, including a write-ahead log next to the file.
    case readOnly
    /// The file must exist.
    case readWrite
    /// The file is created if it is missing.
    case create
  }

  /// The options for opening a database.
  package struct Options: Sendable {
    package var mode: Mode

    /// Whether the file is immutable while it is open, as the caller promises.
    ///
    /// There are no locks, a write-ahead log is ignored, and the folder may be read-only. If the
    /// file does change, results are wrong.
    package var isImmutable = false

    /// The policy for waiting for a lock that another connection holds.
    package var busyPolicy = BusyPolicy.wait(Limits.busyTimeout)

    /// Whether a transaction's writes to the write-ahead log are combined into large writes.
    ///
    /// For connections that write much, with `synchronous` FULL: `CSQLiteGatheredLog` explains why
    /// no other connection may use it.
    package var gathersLog = false

    /// The registered VFS through which SQLite accesses files, or nil for the default.
    ///
    /// It has no effect on connections with `gathersLog`, which use their own VFS.
    package var fileLayer: String?

    /// Whether SQL is prevented from corrupting the file: no writes to shadow tables or
    /// `sqlite_schema`, no `journal_mode=OFF`.
    ///
    /// On by default, because a store needs none of these.
    package var isDefensive = true

    /// Whether the schema of the file (triggers, views, indexes) may call functions that are not
    /// marked `innocuous`.
    ///
    /// Off by default, because a file can come from anyone.
    package var trustsSchema = false

    /// The maximum number of idle prepared statements; 0 disables the cache.
    package var statementCacheCapacity = Limits.statementCacheCapacity

    package init(mode: Mode = .create) { self.mode = mode }

    /// The options of a read-only connection.
    package static var readOnly: Options { Options(mode: .readOnly) }
  }
}
