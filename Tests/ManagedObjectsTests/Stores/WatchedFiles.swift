import Foundation
import ObjectRows

/// This machine's file system, with a closure before each operation that can record it or fail it.
struct WatchedFiles: FileSystem {
  /// A file operation.
  enum Step: String {
    case read, write, synchronize, makeFolder, move, copy, remove, lock
  }

  private let local = LocalFiles()
  var home: URL?
  var databaseLayer: String?
  var before: @Sendable (Step, URL) throws -> Void = { _, _ in }

  func dataHome() -> URL { home ?? local.dataHome() }
  func temporaryFolder() -> URL { local.temporaryFolder() }
  func kind(of url: URL) -> FileKind? { local.kind(of: url) }
  func isWritable(_ url: URL) -> Bool { local.isWritable(url) }

  func names(in folder: URL) throws -> [String] {
    try before(.read, folder)
    return try local.names(in: folder)
  }

  func contents(of url: URL) throws -> Data {
    try before(.read, url)
    return try local.contents(of: url)
  }

  func beginning(of url: URL, bytes: Int) throws -> Data {
    try before(.read, url)
    return try local.beginning(of: url, bytes: bytes)
  }

  func write(_ data: Data, to url: URL) throws {
    try before(.write, url)
    try local.write(data, to: url)
  }

  func synchronize(_ url: URL) throws {
    try before(.synchronize, url)
    try local.synchronize(url)
  }

  func createDirectory(at url: URL) throws {
    try before(.makeFolder, url)
    try local.createDirectory(at: url)
  }

  func moveItem(at url: URL, to destination: URL) throws {
    try before(.move, destination)
    try local.moveItem(at: url, to: destination)
  }

  func replaceItem(at destination: URL, withItemAt url: URL) throws {
    try before(.move, destination)
    try local.replaceItem(at: destination, withItemAt: url)
  }

  func copyItem(at url: URL, to destination: URL) throws {
    try before(.copy, destination)
    try local.copyItem(at: url, to: destination)
  }

  func removeItem(at url: URL) throws {
    try before(.remove, url)
    try local.removeItem(at: url)
  }

  func withLock(of folder: URL, _ body: () throws -> Void) throws {
    try before(.lock, folder)
    try local.withLock(of: folder, body)
  }
}
