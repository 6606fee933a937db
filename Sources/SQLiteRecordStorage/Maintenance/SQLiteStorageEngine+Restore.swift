internal import Dispatch
package import RecordStorage
internal import SQLiteDriver

extension SQLiteStorageEngine {
  /// Makes the store of a folder what a backup is.
  ///
  /// Nobody may own the folder meanwhile. The folder has its former store, or none, until the
  /// restored one is whole. From before that, until the caller says that it has done what a
  /// restoration asks for (`endRestoration`), the folder says that it is restored.
  ///
  /// - Parameter isReplacing: Whether a store that is in the folder is replaced; else it is an
  ///   error that there is one.
  /// - Returns: The restored store, opened by its server, to be closed.
  package static func restore(
    from file: String, into path: String, isReplacing: Bool = false
  ) async throws -> SQLiteStorageEngine {
    try await run(on: DispatchQueue(label: "parhelion.storage.restore")) { cancellation in
      let folder = DataFolder(path: path)
      try folder.create()
      let lock = try FolderLock(of: folder)
      let backup = try openBackup(file)
      guard isReplacing || !DataFolder.exists(folder.database) else {
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

  /// Reads a backup, after it was looked at as before a restoration.
  package static func readBackup<Result: Sendable>(
    _ file: String, _ body: @escaping @Sendable (any StorageReading) throws -> Result
  ) async throws -> Result {
    try await run(on: DispatchQueue(label: "parhelion.storage.backup")) { _ in
      let backup = try openBackup(file)
      return try backup.transaction(.deferred) { try body(SQLiteTransaction(on: backup)) }
    }
  }

  /// Puts a backup into the place of what is in a folder, and leaves the note that it is restored.
  private static func replace(
    _ folder: DataFolder, by backup: Connection, _ cancellation: Cancellation
  ) throws {
    let wasRestored = folder.isRestored
    try folder.setRestored(true)
    do { try copy(backup, into: folder, cancellation) } catch {
      // The folder has what it had before.
      if !wasRestored { try folder.setRestored(false) }
      throw error
    }
  }

  /// A backup, after it was looked at: a store of a version that is known, and sound.
  private static func openBackup(_ file: String) throws -> Connection {
    guard DataFolder.exists(file) else {
      throw StorageError(.missing, "there is no such file; name a backup", place: file)
    }
    let connection = try StoreConnection.openReader(file)
    guard try SchemaHistory.current.state(of: connection, at: file) != .empty else {
      throw StorageError(.foreign, "the file is an empty database; name a backup", place: file)
    }
    if let problem = try StoreCheck.problems(in: connection, .quick).first {
      throw StorageError(
        .damaged, "the backup is damaged (\(problem)); restore another one", place: file)
    }
    return connection
  }

  private static func copy(
    _ backup: Connection, into folder: DataFolder, _ cancellation: Cancellation
  ) throws {
    guard DataFolder.exists(folder.database) else {
      return try StoreCopy.make(of: backup, named: folder.database, cancellation)
    }
    let target = try StoreConnection.open(folder.database)
    _ = try SchemaHistory.current.state(of: target, at: folder.database)
    try StoreConnection.prepareForWriting(target)
    try StoreCopy.copy(backup, over: target, cancellation)
  }
}
