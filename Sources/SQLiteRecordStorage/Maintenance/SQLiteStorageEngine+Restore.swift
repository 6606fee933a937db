internal import Dispatch
package import RecordStorage
internal import SQLiteDriver

extension SQLiteStorageEngine {
  /// Replaces the store of a folder by a backup.
  ///
  /// No server may own the folder. The folder keeps its former store, or none, until the restored
  /// one is complete. It is marked as restored before that. The mark stays until the caller has
  /// done the work after the restoration and calls `endRestoration`.
  ///
  /// - Parameter isReplacing: Whether an existing store is replaced; otherwise it is an error.
  /// - Returns: The restored store, opened as a server. The caller closes it.
  package static func restore(
    from file: String, into path: String, isReplacing: Bool = false
  ) async throws -> SQLiteStorageEngine {
    try await run(on: DispatchQueue(label: "parhelion.storage.restore")) { cancellation in
      let folder = DataFolder(path: path)
      try folder.create()
      let lock = try FolderLock(of: folder)
      let backup = try openBackup(file)
      guard try isReplacing || !DataFolder.exists(folder.database) else {
        throw StorageError(
          .exists,
          "the folder has a store already; name another folder, or ask for its replacement",
          place: folder.path
        )
      }
      try replace(folder, by: backup, cancellation)
      return try SQLiteStorageEngine(folder, lock, Options())
    }
  }

  /// Reads a backup after the checks that precede a restoration.
  package static func readBackup<Result: Sendable>(
    _ file: String, _ body: @escaping @Sendable (any StorageReading) throws -> Result
  ) async throws -> Result {
    try await run(on: DispatchQueue(label: "parhelion.storage.backup")) { _ in
      let backup = try openBackup(file)
      return try backup.transaction(.deferred) { try body(SQLiteTransaction(on: backup)) }
    }
  }

  /// Replaces the store of a folder by a backup, and marks the folder as restored.
  private static func replace(
    _ folder: DataFolder, by backup: Connection, _ cancellation: Cancellation
  ) throws {
    let wasRestored = folder.isRestored
    let hadStore = try DataFolder.exists(folder.database)
    try folder.setRestored(true)
    do { try copy(backup, into: folder, cancellation) } catch {
      // The folder is unchanged, unless the copy got its name and only the sync failed.
      let hasNewStore = try !hadStore && DataFolder.exists(folder.database)
      if !wasRestored, !hasNewStore { try folder.setRestored(false) }
      throw error
    }
  }

  /// Opens a backup, and checks that its version is known and its contents are sound.
  private static func openBackup(_ file: String) throws -> Connection {
    guard try DataFolder.exists(file) else {
      throw StorageError(.missing, "there is no such file; name a backup", place: file)
    }
    let connection = try StoreConnection.openReader(file)
    guard try SchemaHistory.current.state(of: connection, at: file) != .empty else {
      throw StorageError(.foreign, "the file is an empty database; name a backup", place: file)
    }
    if let issue = try StoreCheck.issues(in: connection, .quick).first {
      throw StorageError(
        .damaged, "the backup is damaged (\(issue)); restore another one", place: file)
    }
    return connection
  }

  private static func copy(
    _ backup: Connection, into folder: DataFolder, _ cancellation: Cancellation
  ) throws {
    guard try DataFolder.exists(folder.database) else {
      return try StoreCopy.make(of: backup, named: folder.database, cancellation) {
        try folder.removeLog()
      }
    }
    let target = try StoreConnection.open(folder.database)
    _ = try SchemaHistory.current.state(of: target, at: folder.database)
    try StoreConnection.prepareForWriting(target)
    try StoreCopy.copy(backup, over: target, cancellation)
  }
}
