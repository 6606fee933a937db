extension SQLiteStorageEngine {
  /// The kind of program that opens a store.
  package enum Role: Hashable, Sendable {
    /// The owner of the folder, which may create and upgrade the store.
    case server
    /// A command-line tool, with or without a running server.
    ///
    /// SQLite's locks serialize its writes with the server's.
    case tool
  }

  /// The options of a store.
  package struct Options: Sendable {
    package var role: Role

    /// The number of concurrent reads.
    package var readers = Limits.readers

    /// The maximum number of transactions in one commit.
    package var groupCount = Limits.groupCount

    /// The time for which one commit accepts further transactions.
    package var groupDuration = Limits.groupDuration

    /// The number of frames in the log that starts a checkpoint.
    package var checkpointFrames = Limits.checkpointFrames

    /// A monotonic clock that measures `groupDuration`.
    package var now: @Sendable () -> Duration = {
      let start = ContinuousClock.now
      return { ContinuousClock.now - start }
    }()

    /// The schema versions of the store.
    ///
    /// Tests use other ones.
    package var schema = SchemaHistory.current

    package init(role: Role = .server) { self.role = role }
  }
}
