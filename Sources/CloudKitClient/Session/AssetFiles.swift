import Foundation
import Synchronization

/// The folder of a session's fetched files, which goes with the session.
final class AssetFiles: Sendable {
  private let folder: Mutex<String?> = Mutex(nil)

  /// A file that does not exist yet, in a folder that only this user can read.
  func newFile() throws(CKError) -> AssetFile {
    let path = try folder.withLock { folder throws(CKError) in
      if let folder { return folder }
      let made = try Self.makeFolder()
      folder = made
      return made
    }
    return AssetFile(path: path + "/" + UUID().uuidString, keeper: self)
  }

  private static func makeFolder() throws(CKError) -> String {
    let path = FileManager.default.temporaryDirectory.path + "/parhelion-assets-" + UUID().uuidString
    do {
      try FileManager.default.createDirectory(
        atPath: path, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
    } catch {
      throw CKError(.assetNotAvailable, "No folder can be made for the files of assets: \(error.localizedDescription)")
    }
    return path
  }

  deinit {
    if let folder = folder.withLock(\.self) { try? FileManager.default.removeItem(atPath: folder) }
  }
}

/// A fetched file, which goes when nobody has it any more.
final class AssetFile: Sendable {
  let path: String
  private let keeper: AssetFiles

  init(path: String, keeper: AssetFiles) {
    self.path = path
    self.keeper = keeper
  }

  func remove() { try? FileManager.default.removeItem(atPath: path) }

  deinit { remove() }
}
