package import Foundation
import SQLiteRecordStorage
import Synchronization

/// The files of a server's storage: those of the server that runs, and copies that show what a
/// crash left.
package final class StorageFiles: Sendable {
  private let folder: URL
  /// How often the server has crashed; each server has a folder of its own.
  private let crashes = Mutex(0)

  package init(in folder: URL) { self.folder = folder }

  /// Opens what the latest crash has left, or a new storage where there was none.
  func open() throws -> SQLiteStorageEngine {
    var options = SQLiteStorageEngine.Options()
    // The log is carried over when the storage is closed alone: copies of both files are of one
    // moment then.
    options.checkpointFrames = 1 << 40
    return try SQLiteStorageEngine(folder: current.path, options: options)
  }

  /// Keeps what the files are now, for the next server.
  func keep() {
    let (from, to) = (current, place(crashes.withLock { $0 + 1 }))
    let files = FileManager.default
    do {
      try files.createDirectory(at: to, withIntermediateDirectories: true)
      for name in ["records.sqlite", "records.sqlite-wal"]
      where files.fileExists(atPath: from.path + "/" + name) {
        try files.copyItem(
          at: from.appendingPathComponent(name), to: to.appendingPathComponent(name))
      }
    } catch {
      preconditionFailure("The files of a simulated server cannot be copied: \(error)")
    }
    crashes.withLock { $0 += 1 }
  }

  private var current: URL { place(crashes.withLock(\.self)) }

  private func place(_ number: Int) -> URL { folder.appendingPathComponent("server-\(number)") }
}
