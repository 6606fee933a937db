import Foundation
import Synchronization

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

/// Marks a folder as in use by this process, for as long as the process lives.
///
/// It is a shared lock of the operating system on the folder, which ends with the process. A
/// process that can lock the folder exclusively may remove the files in it.
final class FolderClaim: Sendable {
  private let folder: URL
  private let descriptor = Mutex<Int32?>(nil)

  init(_ folder: URL) { self.folder = folder }

  /// Marks the folder, which must exist.
  func hold() {
    descriptor.withLock { descriptor in
      guard let opened = descriptor ?? open() else { return }
      descriptor = opened
      _ = flock(opened, LOCK_SH)
    }
  }

  /// Removes all files in the folder, unless another process has marked it.
  ///
  /// A folder that cannot be locked may be in use: its files stay.
  func removeLeftovers() {
    descriptor.withLock { descriptor in
      guard let opened = descriptor ?? open() else { return }
      descriptor = opened
      if flock(opened, LOCK_EX | LOCK_NB) == 0 {
        let files =
          (try? FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: nil))
          ?? []
        for file in files { try? FileManager.default.removeItem(at: file) }
      }
      _ = flock(opened, LOCK_SH)
    }
  }

  private func open() -> Int32? {
    let opened = unsafe folder.withUnsafeFileSystemRepresentation { path in
      unsafe path.map { unsafe openFolder($0) } ?? -1
    }
    return opened < 0 ? nil : opened
  }

  /// Unlocks before closing.
  ///
  /// A starting child process briefly has copies of all descriptors, which would keep the lock.
  deinit {
    descriptor.withLock { descriptor in
      guard let opened = descriptor else { return }
      _ = flock(opened, LOCK_UN)
      close(opened)
    }
  }
}

/// Opens a folder with a descriptor that child processes do not inherit.
private func openFolder(_ path: UnsafePointer<CChar>) -> Int32 {
  unsafe open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
}
