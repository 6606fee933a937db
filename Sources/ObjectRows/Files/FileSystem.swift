package import Foundation

/// All that containers, coordinators and stores do with files, apart from what SQLite does with its
/// own.
///
/// A simulation, or a test, gives its own: files that fail, or that are watched.
package protocol FileSystem: Sendable {
  /// The name of the layer that SQLite reaches its files through, or nil for its usual one.
  ///
  /// SQLite calls it a VFS; who gives a name has registered it.
  var databaseLayer: String? { get }

  /// The folder in which programs keep the data of their user.
  func dataHome() -> URL
  /// The folder for what nobody needs after the program.
  func temporaryFolder() -> URL

  /// What there is at a place, links followed; nil where there is nothing, or nothing that may be
  /// looked at.
  func kind(of url: URL) -> FileKind?
  func isWritable(_ url: URL) -> Bool

  func contents(of url: URL) throws -> Data
  /// The first bytes of a file, fewer where it has fewer.
  func beginning(of url: URL, bytes: Int) throws -> Data
  /// Makes a file, or replaces its content.
  func write(_ data: Data, to url: URL) throws
  /// Waits until the disk has a file, or the names in a folder.
  func synchronize(_ url: URL) throws

  /// Makes a folder, and those that it lies in.
  func createDirectory(at url: URL) throws
  func moveItem(at url: URL, to destination: URL) throws
  func copyItem(at url: URL, to destination: URL) throws
  func removeItem(at url: URL) throws
}

extension FileSystem {
  package var databaseLayer: String? { nil }

  package func itemExists(at url: URL) -> Bool { kind(of: url) != nil }
}

/// What there is at a place.
package enum FileKind: Hashable, Sendable {
  case folder
  case file(bytes: Int64)
}
