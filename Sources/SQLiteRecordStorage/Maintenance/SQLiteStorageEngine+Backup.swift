internal import RecordStorage
internal import SQLiteDriver

extension SQLiteStorageEngine {
  /// Copies one state of the store into a file, while the store is used.
  ///
  /// The file is there when the copy is whole and safe, and not before. Writers do not wait; the
  /// log grows until the copy is done.
  package func backUp(to file: String) async throws {
    try await maintain { [folder] cancellation in
      guard !DataFolder.exists(file) else {
        throw StorageError(
          .exists, "there is a file already; name another one for the backup", place: file)
      }
      let source = try StoreConnection.openReader(folder.database)
      try source.transaction(.deferred) {
        // Holds one state, so that the copy does not begin again with every write.
        _ = try source.value("SELECT count(*) FROM sqlite_schema")
        try StoreCopy.make(of: source, named: file, cancellation)
      }
    }
  }
}

/// Copies of whole stores.
enum StoreCopy {
  /// Makes a new file, under another name until it is whole.
  static func make(of source: Connection, named file: String, _ cancellation: Cancellation) throws {
    let unfinished = file + ".unfinished"
    let parts = [unfinished, unfinished + "-journal"]
    for part in parts { try DataFolder.remove(part) }
    try DataFolder.createFile(unfinished)
    do {
      let target = try Connection(.file(unfinished), options: Connection.Options(mode: .readWrite))
      try copy(source, over: target, cancellation)
      try target.close()
      try DataFolder.rename(unfinished, to: file)
    } catch {
      // The journal stays if SQLite had no room to undo what it wrote.
      for part in parts { do { try DataFolder.remove(part) } catch {} }
      throw error
    }
  }

  /// Makes the target what the source is, in one transaction.
  static func copy(_ source: Connection, over target: Connection, _ cancellation: Cancellation)
    throws
  {
    let isFinished = try source.backUp(to: target, pagesPerStep: Limits.backupPages) { _ in
      !cancellation.isCancelled
    }
    guard isFinished else { throw CancellationError() }
  }
}
