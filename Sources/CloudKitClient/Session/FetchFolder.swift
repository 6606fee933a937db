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

/// A folder for fetched files, which only this user can read.
///
/// ```
/// made, and locked ──deinit, or the end of the program──▶ removed
///        └──the process is killed──▶ left, and not locked ──the first folder of a later process──▶ removed
/// ```
package final class FetchFolder: Sendable {
  package let path: String
  /// The lock goes with the process, however that ends.
  private let descriptor: FileDescriptor

  private static let prefix = "parhelion-assets-"
  /// What lay here when this process made its first folder, is looked through once.
  private static let leftoversAreGone: Void = removeLeftovers(
    in: FileManager.default.temporaryDirectory.path)

  private init(path: String, _ descriptor: consuming FileDescriptor) {
    self.path = path
    self.descriptor = descriptor
    FoldersAtExit.add(path)
  }

  /// A new folder, among what is temporary on this machine.
  static func make() throws -> FetchFolder {
    _ = leftoversAreGone
    while true {
      let path = FileManager.default.temporaryDirectory.path + "/" + prefix + UUID().uuidString
      try FileManager.default.createDirectory(
        atPath: path, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
      do throws(SystemFailure) {
        let descriptor = try FileDescriptor(path, for: .folderItself)
        try descriptor.lock()
        // Who removes leftovers may have come between: then there is no such folder.
        if FileManager.default.fileExists(atPath: path) {
          return FetchFolder(path: path, descriptor)
        }
      } catch {
        guard error.isMissing else { throw error }
      }
    }
  }

  /// Removes folders that processes have left which were killed.
  package static func removeLeftovers(in parent: String) {
    let names = (try? FileManager.default.contentsOfDirectory(atPath: parent)) ?? []
    for name in names where name.hasPrefix(prefix) {
      let path = parent + "/" + name
      // What cannot be opened, is another user's, or is locked, is somebody's.
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
    // A process that is being started has a copy of the descriptor for a moment.
    descriptor.unlock()
  }
}

/// The folders of this process that go at its end: what is bound for as long as the program runs is
/// never let go of.
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
    // Where the system has no room for the wish, a later process removes the folder.
    _ = isAsked
    paths.withLock { _ = $0.insert(path) }
  }

  static func remove(_ path: String) { paths.withLock { _ = $0.remove(path) } }
}
