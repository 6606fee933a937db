package import Foundation

/// The location of a store.
package enum StoreLocation: Hashable, Sendable {
  case file(URL)
  /// In memory, until the store closes: `/dev/null`, and every path below it.
  case memory

  package init(_ url: URL) {
    let path = url.path
    self = path == Self.memoryPath || path.hasPrefix(Self.memoryPath + "/") ? .memory : .file(url)
  }

  private static let memoryPath = "/dev/null"

  /// The path, for messages.
  package var path: String {
    switch self {
    case .file(let url): url.path
    case .memory: Self.memoryPath
    }
  }

  /// The folder for external files, next to the store; nil for a store in memory.
  package var externalDataFolder: URL? {
    supportFolder?.appendingPathComponent("_EXTERNAL_DATA", isDirectory: true)
  }

  /// The hidden folder next to the store for everything that is not in the database.
  package var supportFolder: URL? {
    guard case .file(let url) = self else { return nil }
    let name = url.deletingPathExtension().lastPathComponent
    return url.deletingLastPathComponent().appendingPathComponent(
      ".\(name)_SUPPORT", isDirectory: true)
  }

  /// A file that SQLite keeps next to the database.
  func sideFile(_ suffix: String) -> URL? {
    guard case .file(let url) = self else { return nil }
    return URL(fileURLWithPath: url.path + suffix)
  }
}
