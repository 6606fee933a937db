import CloudRecords
import Foundation
import Synchronization

/// The fetched files of a session, in a folder that goes with it.
final class AssetFiles: Sendable {
  private let folder: Mutex<FetchFolder?> = Mutex(nil)
  /// Files of which a part has come, by what the server calls them; the oldest first.
  private let begun: Mutex<[(contents: Contents, file: AssetFile.Path)]> = Mutex([])

  /// What the server calls the contents of a file.
  private struct Contents: Equatable {
    var checksum: String
    var size: Int64

    init(_ stored: AssetValue) { (checksum, size) = (stored.fileChecksum, stored.size) }
  }

  /// Files whose transfer broke off and that nobody has asked for since.
  private static let mostBegun = 32

  /// A file for contents, in a folder that only this user can read: the one that has a part of
  /// them, or one that does not exist yet.
  func file(for stored: AssetValue) throws(CKError) -> (AssetFile, isBegun: Bool) {
    let contents = Contents(stored)
    let known = begun.withLock { begun in
      begun.firstIndex { $0.contents == contents }.map { begun.remove(at: $0).file }
    }
    if let known { return (AssetFile(path: known, keeper: self), true) }
    return (try makeFile(), false)
  }

  /// A file that does not exist yet, for contents that are made here.
  func makeFile() throws(CKError) -> AssetFile {
    AssetFile(path: try place() + "/" + UUID().uuidString, keeper: self)
  }

  /// Keeps what has come of a file, so that the next request for its contents asks for the rest
  /// alone.
  func keep(_ file: AssetFile, partOf stored: AssetValue) {
    let attributes = try? FileManager.default.attributesOfItem(atPath: file.path)
    let size = (attributes?[.size] as? NSNumber)?.int64Value ?? 0
    guard size > 0, size < stored.size else { return }
    file.isKept.store(true, ordering: .relaxed)
    let old = begun.withLock { begun in
      begun.append((Contents(stored), file.path))
      return begun.count > Self.mostBegun ? begun.removeFirst().file : nil
    }
    if let old { try? FileManager.default.removeItem(atPath: old) }
  }

  private func place() throws(CKError) -> String {
    try folder.withLock { folder throws(CKError) in
      if let folder { return folder.path }
      do {
        let made = try FetchFolder.make()
        folder = made
        return made.path
      } catch {
        throw CKError(
          .internalError, "No folder can be made for the files of assets", because: error)
      }
    }
  }
}

/// A fetched file, which goes when nobody has it any more.
final class AssetFile: Sendable {
  typealias Path = String

  let path: Path
  /// Whether the file stays, for whoever asks for its contents next.
  fileprivate let isKept = Atomic(false)
  private let keeper: AssetFiles

  init(path: String, keeper: AssetFiles) {
    self.path = path
    self.keeper = keeper
  }

  deinit {
    if !isKept.load(ordering: .relaxed) { try? FileManager.default.removeItem(atPath: path) }
  }
}
