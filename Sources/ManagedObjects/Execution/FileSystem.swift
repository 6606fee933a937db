package import Foundation

/// What coordinators and containers do with files, apart from what stores do inside of theirs.
package protocol FileSystem: Sendable {
  func itemExists(at url: URL) -> Bool
  func createDirectory(at url: URL) throws
  func removeItem(at url: URL) throws
  /// The folder in which programs keep the data of their user.
  func dataHome() -> URL
}

/// The files of this machine.
package struct LocalFiles: FileSystem {
  package init() {}

  package func itemExists(at url: URL) -> Bool { FileManager.default.fileExists(atPath: url.path) }

  package func createDirectory(at url: URL) throws {
    try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
  }

  package func removeItem(at url: URL) throws { try FileManager.default.removeItem(at: url) }

  /// The XDG folder for data, which `XDG_DATA_HOME` moves, on systems that follow that convention.
  package func dataHome() -> URL {
    let chosen = ProcessInfo.processInfo.environment["XDG_DATA_HOME"] ?? ""
    // The convention says that a relative path is to be passed over.
    if chosen.hasPrefix("/") { return URL(fileURLWithPath: chosen, isDirectory: true) }
    #if os(Windows)
    return FileManager.default.urls(for: .applicationSupportDirectory, in: .userDomainMask)[0]
    #else
    return FileManager.default.homeDirectoryForCurrentUser.appendingPathComponent(".local/share", isDirectory: true)
    #endif
  }
}
