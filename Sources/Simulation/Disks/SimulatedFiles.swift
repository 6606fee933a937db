import Foundation
import ObjectRows

/// The files of a device: databases are in memory, and the others are real files without syncs.
struct SimulatedFiles: FileSystem {
  private let files = LocalFiles()

  var databaseLayer: String? { SimulatedDisks.layer }

  func dataHome() -> URL { files.dataHome() }
  func temporaryFolder() -> URL { files.temporaryFolder() }

  func kind(of url: URL) -> FileKind? {
    DatabaseFiles.size(of: url).map { .file(bytes: Int64($0)) } ?? files.kind(of: url)
  }

  func isWritable(_ url: URL) -> Bool {
    DatabaseFiles.size(of: url) != nil || files.isWritable(url)
  }

  func names(in folder: URL) throws -> [String] { try files.names(in: folder) }

  func contents(of url: URL) throws -> Data {
    try DatabaseFiles.contents(of: url).map { Data($0) } ?? files.contents(of: url)
  }

  func beginning(of url: URL, bytes: Int) throws -> Data {
    try DatabaseFiles.contents(of: url, upTo: bytes).map { Data($0) }
      ?? files.beginning(of: url, bytes: bytes)
  }

  func write(_ data: Data, to url: URL) throws {
    guard DatabaseFiles.size(of: url) != nil else { return try files.write(data, to: url) }
    try DatabaseFiles.write(Array(data), to: url)
  }

  func synchronize(_ url: URL) throws {}
  func createDirectory(at url: URL) throws { try files.createDirectory(at: url) }

  func moveItem(at url: URL, to destination: URL) throws {
    guard let bytes = DatabaseFiles.contents(of: url) else {
      return try files.moveItem(at: url, to: destination)
    }
    try DatabaseFiles.write(bytes, to: destination)
    _ = DatabaseFiles.remove(url)
  }

  func replaceItem(at destination: URL, withItemAt url: URL) throws {
    guard DatabaseFiles.size(of: url) != nil else {
      return try files.replaceItem(at: destination, withItemAt: url)
    }
    try moveItem(at: url, to: destination)
  }

  func copyItem(at url: URL, to destination: URL) throws {
    guard let bytes = DatabaseFiles.contents(of: url) else {
      return try files.copyItem(at: url, to: destination)
    }
    try DatabaseFiles.write(bytes, to: destination)
  }

  func removeItem(at url: URL) throws {
    if !DatabaseFiles.remove(url) { try files.removeItem(at: url) }
  }
}
