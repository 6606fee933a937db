import Foundation
import Synchronization

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

/// Tells other processes that this one has files in a folder, for as long as it lives.
///
/// It is a shared lock of the operating system on the folder, which ends with the process. A
/// process that can lock the folder exclusively may remove the files in it.
final class FolderClaim: Sendable {
  private let folder: URL
  private let descriptor = Mutex<Int32?>(nil)

  init(_ folder: URL) { self.folder = folder }

  /// Claims the folder, which is there.
  func hold() {
    descriptor.withLock { descriptor in
      guard let opened = descriptor ?? open() else { return }
      descriptor = opened
      _ = flock(opened, LOCK_SH)
    }
  }

  /// Removes everything in the folder where no other process has claimed it.
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

  /// Closing alone would leave the lock to a process that is being started, which has a copy of
  /// every descriptor for a moment.
  deinit {
    descriptor.withLock { descriptor in
      guard let opened = descriptor else { return }
      _ = flock(opened, LOCK_UN)
      close(opened)
    }
  }
}

/// Opens a folder that child processes do not inherit.
private func openFolder(_ path: UnsafePointer<CChar>) -> Int32 {
  unsafe open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
}
