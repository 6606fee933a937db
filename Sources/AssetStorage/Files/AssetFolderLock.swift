internal import SystemFiles

/// The ownership of a folder of files: at most one server has it, or one that makes a backup in it,
/// and its death gives it back.
final class AssetFolderLock: Sendable {
  private let descriptor: FileDescriptor

  /// - Parameter owner: Who may have it otherwise, and what to do about that, for people.
  init(
    of folder: AssetFolder,
    orElse owner: String =
      "another server uses the folder of files; stop it, or name another folder"
  ) throws(AssetStorageError) {
    descriptor = try AssetStorageError.telling { () throws(SystemFailure) in
      try FileDescriptor(folder.lock, for: .locking)
    }
    guard try AssetStorageError.telling({ () throws(SystemFailure) in try descriptor.tryLock() })
    else {
      throw AssetStorageError(.owned, owner, place: folder.path)
    }
  }

  deinit { descriptor.unlock() }
}
