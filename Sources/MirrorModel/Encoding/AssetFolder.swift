package import Foundation

/// The folder beside a store for the files from which assets are uploaded.
///
/// The files can be recreated from the store. The next opening of the store removes them, unless
/// another process mirrors it and may be sending them.
package struct AssetFolder: AssetStaging {
  /// The folder, which is created with its first file.
  package let url: URL
  private let claim: FolderClaim

  /// The folder of a store, under Apple's name: `Notes_ckAssets` beside `Notes.sqlite`.
  package init(besideStore store: URL) {
    let name = store.deletingPathExtension().lastPathComponent + "_ckAssets"
    url = store.deletingLastPathComponent().appendingPathComponent(name, isDirectory: true)
    claim = FolderClaim(url)
  }

  /// Writes a text in pieces, so that memory never holds it twice.
  package func stage(_ text: String) throws -> StagedFile {
    try make { file in
      guard FileManager.default.createFile(atPath: file.path, contents: nil) else {
        throw CocoaError(.fileWriteUnknown, userInfo: [NSFilePathErrorKey: file.path])
      }
      let handle = try FileHandle(forWritingTo: file)
      defer { try? handle.close() }
      var rest = text.utf8[...]
      while !rest.isEmpty {
        try handle.write(contentsOf: Data(rest.prefix(MappingLimits.chunkBytes)))
        rest = rest.dropFirst(MappingLimits.chunkBytes)
      }
    }
  }

  /// Writes bytes.
  package func stage(_ data: Data) throws -> StagedFile {
    try make { try data.write(to: $0) }
  }

  /// Links the file under a second name, or copies it if linking fails.
  ///
  /// A link suffices, because borrowed files never change.
  package func stage(_ file: BorrowedFile) throws -> StagedFile {
    try make { place in
      do { try FileManager.default.linkItem(at: file.url, to: place) } catch {
        try FileManager.default.copyItem(at: file.url, to: place)
      }
    }
  }

  /// Removes files that were sent; the next opening of the store removes those that remain.
  package func remove(_ files: [StagedFile]) {
    for file in files { try? FileManager.default.removeItem(at: file.url) }
  }

  /// Removes files that ended processes left behind, unless another process has files here.
  package func removeLeftovers() { claim.removeLeftovers() }

  /// Creates a file completely, or not at all.
  private func make(_ write: (URL) throws -> Void) throws -> StagedFile {
    try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
    claim.hold()
    let place = url.appendingPathComponent(UUID().uuidString)
    do { try write(place) } catch {
      try? FileManager.default.removeItem(at: place)
      throw error
    }
    return StagedFile(url: place)
  }
}
