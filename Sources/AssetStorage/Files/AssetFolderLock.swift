internal import SystemFiles

/// The ownership of a folder of files, by one server or one backup at a time.
///
/// The operating system releases the lock when the process ends.
final class AssetFolderLock: Sendable {
  private let descriptor: FileDescriptor

  /// Locks a folder, or throws if the lock is held.
  ///
  /// - Parameter owner: The message if the lock is held, with its possible holders and the remedy.
  init(
    of folder: AssetFolder,
    orElse owner: String =
      "another server uses the folder of files; stop it, or name another folder"
  ) throws(AssetStorageError) {
    descriptor = try AssetStorageError.mappingErrors { () throws(SystemFailure) in
      try FileDescriptor(folder.lock, for: .locking)
    }
    guard
      try AssetStorageError.mappingErrors({ () throws(SystemFailure) in
        try descriptor.tryLock()
      })
    else {
      throw AssetStorageError(.owned, owner, place: folder.path)
    }
  }

  deinit { descriptor.unlock() }
}
