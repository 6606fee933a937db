internal import SystemFiles

/// The ownership of a folder of files: at most one server has it, and its death gives it back.
final class AssetFolderLock: Sendable {
  private let descriptor: FileDescriptor

  init(of folder: AssetFolder) throws(AssetStorageError) {
    descriptor = try AssetStorageError.telling { () throws(SystemFailure) in
      try FileDescriptor(folder.lock, for: .locking)
    }
    guard try AssetStorageError.telling({ () throws(SystemFailure) in try descriptor.tryLock() }) else {
      throw AssetStorageError(
        .owned, "another server uses the folder of files; stop it, or name another folder", place: folder.path)
    }
  }

  deinit { descriptor.unlock() }
}
