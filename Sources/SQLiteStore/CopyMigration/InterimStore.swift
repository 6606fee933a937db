import Foundation
import ObjectRows

/// The hidden store in which a migration prepares its result, next to the final store.
///
/// Its name depends only on the final store's name, so that the remains of a killed migration are
/// found and removed.
struct InterimStore {
  let location: StoreLocation
  let url: URL
  private let files: any FileSystem

  init(beside url: URL, files: any FileSystem) {
    let name = ".\(url.lastPathComponent).migrationdestination"
    self.url = url.deletingLastPathComponent().appendingPathComponent(name)
    location = .file(self.url)
    self.files = files
  }

  var exists: Bool { files.itemExists(at: url) }

  /// Removes the store and everything that belongs to it.
  func remove() throws(StoreError) {
    try location.files {
      for file in ["", "-wal", "-shm", "-journal"].compactMap(location.sideFile)
      where files.itemExists(at: file) {
        try files.removeItem(at: file)
      }
      if let folder = location.supportFolder, files.itemExists(at: folder) {
        try files.removeItem(at: folder)
      }
    }
  }
}
