internal import Cryptography
package import RecordServer
internal import SystemFiles

/// An issue with the files of a store.
package enum AssetIssue: Hashable, Sendable, CustomStringConvertible {
  /// The catalogue references a file that does not exist.
  case missing(String)
  /// A file's size differs from the catalogue.
  case wrongSize(String, bytes: Int64, expected: Int64)
  /// A file's contents do not match the checksum in its name.
  case damaged(String)
  /// The catalogue does not reference a file.
  case orphaned(String)
  /// Something that is not an asset file is in the folder.
  case foreign(String)

  package var description: String {
    switch self {
    case .missing, .wrongSize, .damaged: "\(finding) Restore it from a backup."
    case .orphaned, .foreign: finding
    }
  }

  /// The issue without the advice to restore a backup, for messages about a backup itself.
  package var finding: String {
    switch self {
    case .missing(let name): "The file \(name) is missing."
    case .wrongSize(let name, let bytes, let expected):
      "The file \(name) has \(bytes) bytes instead of \(expected)."
    case .damaged(let name): "The file \(name) has contents that do not match its checksum."
    case .orphaned(let name): "The file \(name) is not referenced. It only takes space."
    case .foreign(let path): "\(path) is not a file of the store. Move it elsewhere."
    }
  }
}

extension AssetStore {
  /// Returns the issues with the files, by shard, and the orphaned files at the end.
  ///
  /// The check may run while a server uses the store.
  ///
  /// - Parameter isThorough: Whether all contents are read and compared with their checksums.
  package func issues(isThorough: Bool = false) async throws -> [AssetIssue] {
    var issues: [AssetIssue] = []
    for shard in UInt8.min...UInt8.max {
      for (_, entry) in try await server.assetEntries(shard: shard) {
        try Task.checkCancellation()
        if let issue = try await issue(with: entry, isThorough: isThorough) {
          issues.append(issue)
        }
      }
      let folder = folder
      let others = try await workers.take().perform { () throws(AssetStorageError) in
        try folder.names(inShard: shard).others
      }
      issues += others.sorted().map(AssetIssue.foreign)
    }
    let orphans = try await orphans()
    // Doomed files are not orphans: a running server removes them. A name stays in the list of
    // doomed files until its file is gone.
    let doomed = Set(try await server.doomedAssetFiles(atMost: .max))
    let folder = folder
    let left = await workers.take().perform {
      orphans.filter { !doomed.contains($0.text) && folder.size(of: $0) != nil }.map(\.text)
    }
    return issues + left.sorted().map(AssetIssue.orphaned)
  }

  private func issue(with entry: AssetEntry, isThorough: Bool) async throws -> AssetIssue? {
    let name = try Self.name(in: entry)
    guard let found = try await look(at: name, entry, isThorough: isThorough) else { return nil }
    // The file may have been collected since the entry was read.
    return try await server.assetEntry(of: name.checksum)?.fileName == name.text ? found : nil
  }

  private func look(at name: AssetFileName, _ entry: AssetEntry, isThorough: Bool) async throws
    -> AssetIssue?
  {
    let folder = folder
    return try await workers.take().perform { () throws(AssetStorageError) -> AssetIssue? in
      if let issue = folder.issue(with: name, size: entry.size) { return issue }
      guard isThorough, let file = try folder.openFile(name) else { return nil }
      return try file.checksum() == name.checksum ? nil : .damaged(name.text)
    }
  }
}

// MARK: - Backups

extension AssetStore {
  /// Returns the issues with files that are missing or have the wrong size in a folder.
  ///
  /// The entries are those of a database without a server, such as a backup's.
  package static func missingFiles(in path: String, of entries: [AssetEntry]) throws -> [AssetIssue]
  {
    let folder = AssetFolder(path: path)
    return try entries.compactMap { folder.issue(with: try name(in: $0), size: $0.size) }
  }
}

extension AssetFolder {
  /// Checks the existence and the size of a file, without reading it.
  func issue(with name: AssetFileName, size expected: Int64) -> AssetIssue? {
    guard let size = size(of: name) else { return .missing(name.text) }
    return size == expected ? nil : .wrongSize(name.text, bytes: size, expected: expected)
  }

  /// Opens a file at any of its paths; nil if there is none.
  func openFile(_ name: AssetFileName) throws(AssetStorageError) -> OpenAssetFile? {
    for path in paths(of: name) {
      do throws(SystemFailure) {
        return OpenAssetFile(descriptor: try FileDescriptor(path, for: .reading))
      } catch {
        if !error.isMissing { throw AssetStorageError(error) }
      }
    }
    return nil
  }
}

/// A file that is read from start to end.
struct OpenAssetFile: ~Copyable {
  let descriptor: FileDescriptor

  /// Visits all bytes.
  func read(_ visit: ([UInt8]) throws(AssetStorageError) -> Void) throws(AssetStorageError) {
    var buffer = [UInt8](repeating: 0, count: Limits.readBytes)
    while true {
      let count = try AssetStorageError.mappingErrors { () throws(SystemFailure) in
        try descriptor.read(into: &buffer)
      }
      if count == 0 { return }
      try visit(count == buffer.count ? buffer : Array(buffer[..<count]))
    }
  }

  /// Computes the checksum of the contents.
  func checksum() throws(AssetStorageError) -> AssetChecksum? {
    var digest = Digest(.sha256)
    try read { (bytes) throws(AssetStorageError) in digest.update(bytes) }
    return AssetChecksum(digest: digest.finish())
  }
}
