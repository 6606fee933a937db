extension SQLiteStorageEngine {
  /// Who opens a store.
  package enum Role: Hashable, Sendable {
    /// The one owner of the folder, which may create and upgrade the store.
    case server
    /// A command beside a server or without one. It reads and writes as the server does, since
    /// SQLite's own locks let their writes take turns.
    case tool
  }

  /// How a store is opened.
  package struct Options: Sendable {
    package var role: Role

    /// Reads at the same time.
    package var readers = Limits.readers

    /// The most transactions of one commit.
    package var groupCount = Limits.groupCount

    /// For how long one commit takes further transactions.
    package var groupDuration = Limits.groupDuration

    /// Frames in the log that start a checkpoint.
    package var checkpointFrames = Limits.checkpointFrames

    /// The time since some moment in the past, by which `groupDuration` is measured.
    package var now: @Sendable () -> Duration = {
      let start = ContinuousClock.now
      return { ContinuousClock.now - start }
    }()

    /// The versions of the store; others than the current ones are for tests.
    package var schema = SchemaHistory.current

    package init(role: Role = .server) { self.role = role }
  }
}
