package import Foundation

/// The folder beside a store where files lie that assets are uploaded from.
///
/// The store knows the values: whatever lies here can be made again, and goes when the store is
/// opened the next time, unless another process mirrors it at that time and may be sending it.
package struct AssetFolder: AssetStaging {
  /// The place of the folder, which is made with its first file.
  package let url: URL
  private let claim: FolderClaim

  /// The folder of a store, under Apple's name: `Notes_ckAssets` beside `Notes.sqlite`.
  package init(besideStore store: URL) {
    let name = store.deletingPathExtension().lastPathComponent + "_ckAssets"
    url = store.deletingLastPathComponent().appendingPathComponent(name, isDirectory: true)
    claim = FolderClaim(url)
  }

  /// Writes a text piece by piece: it is never in memory twice.
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

  /// Gives the file a second name, or where the disk cannot, copies it: files that are lent never
  /// change.
  package func stage(_ file: LentFile) throws -> StagedFile {
    try make { place in
      do { try FileManager.default.linkItem(at: file.url, to: place) } catch {
        try FileManager.default.copyItem(at: file.url, to: place)
      }
    }
  }

  /// Removes files that were sent; what cannot be removed goes when the store is opened the next
  /// time.
  package func remove(_ files: [StagedFile]) {
    for file in files { try? FileManager.default.removeItem(at: file.url) }
  }

  /// Removes what a process has left that did not come to its end; while another one has files
  /// there, nothing.
  package func removeLeftovers() { claim.removeLeftovers() }

  /// A file that is whole, or does not exist.
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
