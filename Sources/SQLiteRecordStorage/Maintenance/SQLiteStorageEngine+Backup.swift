internal import RecordStorage
internal import SQLiteDriver

extension SQLiteStorageEngine {
  /// Copies a snapshot of the store into a file, while the store is in use.
  ///
  /// The file appears under its name once the copy is complete and synced. Writers do not wait; the
  /// log grows until the copy is done.
  package func backUp(to file: String) async throws {
    try await maintain { [folder] cancellation in
      guard try !DataFolder.exists(file) else {
        throw StorageError(
          .exists, "there is a file already; move it away, or back up into another folder",
          place: file)
      }
      let source = try StoreConnection.openReader(folder.database)
      try source.transaction(.deferred) {
        // Pins one snapshot, so that concurrent writes do not restart the copy.
        _ = try source.value("SELECT count(*) FROM sqlite_schema")
        try StoreCopy.make(of: source, named: file, cancellation)
      }
    }
  }
}

/// Copies whole stores.
enum StoreCopy {
  /// Creates a new file under a temporary name, and renames it when it is complete.
  ///
  /// The file has no log, so it can be read where nothing can be written.
  ///
  /// - Parameter prepare: Called before the complete file gets its name.
  static func make(
    of source: Connection, named file: String, _ cancellation: Cancellation,
    _ prepare: () throws -> Void = {}
  ) throws {
    let unfinished = file + ".unfinished"
    let parts = [unfinished] + DataFolder.sideFiles(of: unfinished)
    for part in parts { try DataFolder.remove(part) }
    try DataFolder.createFile(unfinished)
    do {
      let target = try Connection(.file(unfinished), options: Connection.Options(mode: .readWrite))
      // With exclusive locks, ending the log needs no shared memory, which network folders lack.
      try target.set(.lockingMode, to: .exclusive)
      try copy(source, over: target, cancellation)
      // The copied header still requires a log.
      try target.set(.journalMode, to: .delete)
      try target.close()
      try prepare()
      try DataFolder.rename(unfinished, to: file)
    } catch {
      // SQLite leaves its journal or log behind if there was no space to roll back.
      for part in parts { do { try DataFolder.remove(part) } catch {} }
      throw error
    }
  }

  /// Replaces the contents of the target by the source's, in one transaction.
  static func copy(_ source: Connection, over target: Connection, _ cancellation: Cancellation)
    throws
  {
    let isFinished = try source.backUp(to: target, pagesPerStep: Limits.backupPages) { _ in
      !cancellation.isCancelled
    }
    guard isFinished else { throw CancellationError() }
  }
}
