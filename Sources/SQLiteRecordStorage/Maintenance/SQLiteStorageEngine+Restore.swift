internal import Dispatch
internal import RecordStorage
internal import SQLiteDriver

extension SQLiteStorageEngine {
  /// Makes the store of a folder what a backup is.
  ///
  /// Nobody may own the folder meanwhile. The folder has its former store, or none, until the restored one is whole.
  ///
  /// - Parameter isReplacing: Whether a store that is in the folder is replaced; else it is an error that there is one.
  package static func restore(from file: String, into folder: String, isReplacing: Bool = false) async throws {
    try await run(on: DispatchQueue(label: "parhelion.storage.restore")) { cancellation in
      let folder = DataFolder(path: folder)
      try folder.create()
      let lock = try FolderLock(of: folder)
      try withExtendedLifetime(lock) {
        try copy(try openBackup(file), into: folder, isReplacing: isReplacing, cancellation)
      }
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
      throw StorageError(.damaged, "the backup is damaged (\(problem)); restore another one", place: file)
    }
    return connection
  }

  private static func copy(
    _ backup: Connection, into folder: DataFolder, isReplacing: Bool, _ cancellation: Cancellation
  ) throws {
    guard DataFolder.exists(folder.database) else {
      return try StoreCopy.make(of: backup, named: folder.database, cancellation)
    }
    guard isReplacing else {
      throw StorageError(
        .exists, "the folder has a store already; name another folder, or ask for its replacement", place: folder.path)
    }
    let target = try StoreConnection.open(folder.database)
    _ = try SchemaHistory.current.state(of: target, at: folder.database)
    try StoreConnection.prepareForWriting(target)
    try StoreCopy.copy(backup, over: target, cancellation)
  }
}
