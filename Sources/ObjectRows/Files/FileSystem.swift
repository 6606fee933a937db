package import Foundation

/// The file operations of containers, coordinators and stores, except SQLite's own.
///
/// Simulations and tests supply other implementations, for example with failing files.
package protocol FileSystem: Sendable {
  /// The name of the VFS through which SQLite accesses files, or nil for the default.
  ///
  /// The VFS must be registered with SQLite.
  var databaseLayer: String? { get }

  /// The folder for the user's application data.
  func dataHome() -> URL
  /// The folder for files that can be computed again.
  func cacheHome() -> URL
  /// The folder for temporary files.
  func temporaryFolder() -> URL

  /// The kind of the item at a URL, following links; nil if there is none, or if it is not
  /// accessible.
  func kind(of url: URL) -> FileKind?
  func isWritable(_ url: URL) -> Bool
  /// The time of an item's last change, or nil if it is unknown.
  func modificationDate(of url: URL) -> Date?

  /// The names of the items in a folder, in any order.
  func names(in folder: URL) throws -> [String]
  func contents(of url: URL) throws -> Data
  /// The first bytes of a file, or all if the file is shorter.
  func beginning(of url: URL, bytes: Int) throws -> Data
  /// Creates a file or replaces its contents.
  func write(_ data: Data, to url: URL) throws
  /// Waits until a file's contents, or the entries of a folder, are on the disk.
  func synchronize(_ url: URL) throws

  /// Creates a folder and its parent folders.
  func createDirectory(at url: URL) throws
  func moveItem(at url: URL, to destination: URL) throws
  /// Renames a file, and replaces a file that has the new name, in one step.
  func replaceItem(at destination: URL, withItemAt url: URL) throws
  func copyItem(at url: URL, to destination: URL) throws
  func removeItem(at url: URL) throws
  /// Gives the owner of a file the permission to write it.
  func makeWritable(_ url: URL) throws

  /// Runs a closure under an exclusive lock of a folder, if the file system supports locks.
  func withLock(of folder: URL, _ body: () throws -> Void) throws
}

extension FileSystem {
  package var databaseLayer: String? { nil }

  package func cacheHome() -> URL { temporaryFolder() }

  package func modificationDate(of url: URL) -> Date? { nil }

  package func withLock(of folder: URL, _ body: () throws -> Void) throws { try body() }

  package func makeWritable(_ url: URL) throws {}

  package func itemExists(at url: URL) -> Bool { kind(of: url) != nil }

  /// Creates a folder and its missing parents, and waits until their names are on the disk.
  package func createDurableDirectory(at url: URL) throws {
    guard !itemExists(at: url) else { return }
    let parent = url.deletingLastPathComponent()
    try createDurableDirectory(at: parent)
    try createDirectory(at: url)
    do { try synchronize(parent) } catch {
      // If the folder stayed, the next call would treat its name as durable.
      try? removeItem(at: url)
      throw error
    }
  }
}

/// The kind of a file system item.
package enum FileKind: Hashable, Sendable {
  case folder
  case file(bytes: Int64)
}
