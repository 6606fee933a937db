package import Foundation
import SQLiteRecordStorage
import Synchronization

/// The files of a server's storage: those of the running server, and copies from its crashes.
package final class StorageFiles: Sendable {
  private let folder: URL
  /// The number of crashes, which names the folder of the running server.
  private let crashes = Mutex(0)

  package init(in folder: URL) { self.folder = folder }

  /// Opens the state at the latest crash, or a new storage if there was none.
  func open() throws -> SQLiteStorageEngine {
    var options = SQLiteStorageEngine.Options()
    // Only closing checkpoints the log, so that copies of both files belong to the same moment.
    options.checkpointFrames = 1 << 40
    return try SQLiteStorageEngine(folder: current.path, options: options)
  }

  /// Copies the present files for the next server.
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
