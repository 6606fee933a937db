import Foundation
import Synchronization
import SystemFiles

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

/// A folder for downloaded files, which only the process's system user can read.
///
/// ```
/// created and locked ──deinit, or the process exits──▶ removed
///       └──the process is killed──▶ left unlocked ──a later process creates a folder──▶ removed
/// ```
package final class FetchFolder: Sendable {
  package let path: String
  /// The locked descriptor.
  ///
  /// The system releases the lock when the process ends in any way.
  private let descriptor: FileDescriptor

  private static let prefix = "parhelion-assets-"
  /// Removes folders of killed processes, once per process.
  private static let leftoversAreGone: Void = removeLeftovers(
    in: FileManager.default.temporaryDirectory.path)

  private init(path: String, _ descriptor: consuming FileDescriptor) {
    self.path = path
    self.descriptor = descriptor
    FoldersAtExit.add(path)
  }

  /// Creates a folder in the system's temporary directory.
  static func make() throws -> FetchFolder {
    _ = leftoversAreGone
    while true {
      let path = FileManager.default.temporaryDirectory.path + "/" + prefix + UUID().uuidString
      try FileManager.default.createDirectory(
        atPath: path, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
      do throws(SystemFailure) {
        let descriptor = try FileDescriptor(path, for: .folderItself)
        try descriptor.lock()
        // Another process may have removed the folder before it was locked.
        if FileManager.default.fileExists(atPath: path) {
          return FetchFolder(path: path, descriptor)
        }
      } catch {
        guard error.isMissing else { throw error }
      }
    }
  }

  /// Removes folders that killed processes left.
  package static func removeLeftovers(in parent: String) {
    let names = (try? FileManager.default.contentsOfDirectory(atPath: parent)) ?? []
    for name in names where name.hasPrefix(prefix) {
      let path = parent + "/" + name
      // A folder that is locked, not accessible, or owned by another user may be in use.
      guard let folder = try? FileDescriptor(path, for: .folderItself),
        (try? folder.attributes().owner) == FileAttributes.currentUser,
        (try? folder.tryLock()) == true
      else { continue }
      try? FileManager.default.removeItem(atPath: path)
      folder.unlock()
    }
  }

  deinit {
    try? FileManager.default.removeItem(atPath: path)
    FoldersAtExit.remove(path)
    // A child process that is being spawned shares the descriptor for a moment, so closing it may
    // not release the lock.
    descriptor.unlock()
  }
}

/// The folders to remove when this process exits.
///
/// A binding lives until then, and so does the folder of its session.
private enum FoldersAtExit {
  private static let paths = Mutex<Set<String>>([])
  private static let isAsked: Bool = {
    atexit {
      for path in FoldersAtExit.paths.withLock(\.self) {
        try? FileManager.default.removeItem(atPath: path)
      }
    }
      == 0
  }()

  static func add(_ path: String) {
    // If `atexit` fails, a later process removes the folder.
    _ = isAsked
    paths.withLock { _ = $0.insert(path) }
  }

  static func remove(_ path: String) { paths.withLock { _ = $0.remove(path) } }
}
