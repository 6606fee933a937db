import CloudRecords
import Foundation
import Synchronization

/// The downloaded files of a session, in a folder that is removed with this object.
final class AssetFiles: Sendable {
  private let folder: Mutex<FetchFolder?> = Mutex(nil)
  /// Partially downloaded files by their contents, the oldest first.
  private let begun: Mutex<[(contents: Contents, file: AssetFile.Path)]> = Mutex([])

  /// The server's description of a file's contents.
  private struct Contents: Equatable {
    var checksum: String
    var size: Int64

    init(_ stored: AssetValue) { (checksum, size) = (stored.fileChecksum, stored.size) }
  }

  /// The number of partially downloaded files that are kept.
  private static let maximumPartialFiles = 32

  /// Returns a file for the given contents: a partially downloaded one, or a path for a new one.
  func file(for stored: AssetValue) throws(CKError) -> (AssetFile, isBegun: Bool) {
    let contents = Contents(stored)
    let known = begun.withLock { begun in
      begun.firstIndex { $0.contents == contents }.map { begun.remove(at: $0).file }
    }
    if let known { return (AssetFile(path: known, owner: self), true) }
    return (try makeFile(), false)
  }

  /// Returns a path for a new file, which the caller creates.
  func makeFile() throws(CKError) -> AssetFile {
    AssetFile(path: try place() + "/" + UUID().uuidString, owner: self)
  }

  /// Keeps a partially downloaded file, so that the next request for its contents resumes the
  /// download.
  func keep(_ file: AssetFile, partOf stored: AssetValue) {
    let attributes = try? FileManager.default.attributesOfItem(atPath: file.path)
    let size = (attributes?[.size] as? NSNumber)?.int64Value ?? 0
    guard size > 0, size < stored.size else { return }
    file.isKept.store(true, ordering: .relaxed)
    let old = begun.withLock { begun in
      begun.append((Contents(stored), file.path))
      return begun.count > Self.maximumPartialFiles ? begun.removeFirst().file : nil
    }
    if let old { try? FileManager.default.removeItem(atPath: old) }
  }

  private func place() throws(CKError) -> String {
    try folder.withLock { folder throws(CKError) in
      if let folder { return folder.path }
      do {
        let created = try FetchFolder.make()
        folder = created
        return created.path
      } catch {
        throw CKError(
          .internalError, "The folder for asset files cannot be created", because: error)
      }
    }
  }
}

/// A downloaded file, which is removed with the last reference to it.
final class AssetFile: Sendable {
  typealias Path = String

  let path: Path
  /// Whether the file stays, so that its download can be resumed.
  fileprivate let isKept = Atomic(false)
  private let owner: AssetFiles

  init(path: String, owner: AssetFiles) {
    self.path = path
    self.owner = owner
  }

  deinit {
    if !isKept.load(ordering: .relaxed) { try? FileManager.default.removeItem(atPath: path) }
  }
}
