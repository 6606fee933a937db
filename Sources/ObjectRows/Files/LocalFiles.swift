package import Foundation
import SystemFiles

/// The local file system.
package struct LocalFiles: FileSystem {
  private let chosenCacheHome: URL?

  /// Creates a view of the local file system.
  ///
  /// - Parameter cacheHome: The folder for caches, or nil for the user's.
  package init(cacheHome: URL? = nil) {
    chosenCacheHome = cacheHome
  }

  /// The folder for the user's data: `XDG_DATA_HOME` if it is set, else the system's default.
  package func dataHome() -> URL {
    folder("XDG_DATA_HOME", ".local/share", .applicationSupportDirectory)
  }

  /// The folder for caches: the chosen one, `XDG_CACHE_HOME` if it is set, or the system's default.
  package func cacheHome() -> URL {
    chosenCacheHome ?? folder("XDG_CACHE_HOME", ".cache", .cachesDirectory)
  }

  private func folder(
    _ variable: String, _ path: String, _ directory: FileManager.SearchPathDirectory
  ) -> URL {
    let chosen = ProcessInfo.processInfo.environment[variable] ?? ""
    // The XDG specification requires that a relative path is ignored.
    if chosen.hasPrefix("/") { return URL(fileURLWithPath: chosen, isDirectory: true) }
    #if os(Windows)
    return FileManager.default.urls(for: directory, in: .userDomainMask)[0]
    #else
    return FileManager.default.homeDirectoryForCurrentUser.appendingPathComponent(
      path, isDirectory: true)
    #endif
  }

  package func modificationDate(of url: URL) -> Date? {
    let path = url.resolvingSymlinksInPath().path
    return try? FileManager.default.attributesOfItem(atPath: path)[.modificationDate] as? Date
  }

  package func temporaryFolder() -> URL { FileManager.default.temporaryDirectory }

  package func kind(of url: URL) -> FileKind? {
    let path = url.resolvingSymlinksInPath().path
    guard let attributes = try? FileManager.default.attributesOfItem(atPath: path) else {
      return nil
    }
    if attributes[.type] as? FileAttributeType == .typeDirectory { return .folder }
    return .file(bytes: (attributes[.size] as? NSNumber)?.int64Value ?? 0)
  }

  package func isWritable(_ url: URL) -> Bool {
    FileManager.default.isWritableFile(atPath: url.path)
  }

  package func names(in folder: URL) throws -> [String] {
    try FileManager.default.contentsOfDirectory(atPath: folder.path)
  }

  package func contents(of url: URL) throws -> Data {
    try Data(contentsOf: url, options: .mappedIfSafe)
  }

  package func beginning(of url: URL, bytes: Int) throws -> Data {
    let handle = try FileHandle(forReadingFrom: url)
    let beginning = try handle.read(upToCount: bytes)
    try handle.close()
    return beginning ?? Data()
  }

  package func write(_ data: Data, to url: URL) throws { try data.write(to: url) }

  package func synchronize(_ url: URL) throws {
    let handle = try FileHandle(forReadingFrom: url)
    try handle.synchronize()
    try handle.close()
  }

  package func createDirectory(at url: URL) throws {
    try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
  }

  package func moveItem(at url: URL, to destination: URL) throws {
    try FileManager.default.moveItem(at: url, to: destination)
  }

  package func replaceItem(at destination: URL, withItemAt url: URL) throws {
    let former = try? FileManager.default.attributesOfItem(atPath: destination.path)
    let permissions = (former?[.posixPermissions] as? NSNumber)?.uint32Value
    if let permissions, unsafe chmod(url.path, permissions) != 0, errno != ENOENT {
      throw Self.failure(of: destination)
    }
    // Foundation's replaceItemAt can lose the destination.
    guard unsafe rename(url.path, destination.path) == 0 else {
      throw Self.failure(of: destination)
    }
  }

  private static func failure(of url: URL) -> NSError {
    NSError(
      domain: NSPOSIXErrorDomain, code: Int(errno),
      userInfo: [
        NSFilePathErrorKey: url.path,
        NSLocalizedDescriptionKey: unsafe String(cString: strerror(errno)),
      ])
  }

  package func makeWritable(_ url: URL) throws {
    let attributes = try FileManager.default.attributesOfItem(atPath: url.path)
    let mode = (attributes[.posixPermissions] as? NSNumber)?.intValue ?? 0o400
    try FileManager.default.setAttributes(
      [.posixPermissions: NSNumber(value: mode | 0o200)], ofItemAtPath: url.path)
  }

  package func copyItem(at url: URL, to destination: URL) throws {
    try FileManager.default.copyItem(at: url, to: destination)
  }

  package func removeItem(at url: URL) throws { try FileManager.default.removeItem(at: url) }

  package func withLock(of folder: URL, _ body: () throws -> Void) throws {
    // Some network file systems have no locks. The closure then runs without one.
    guard let opened = Self.locked(folder) else { return try body() }
    let result = Result(catching: body)
    opened.unlock()
    try result.get()
  }

  /// A folder with its lock; nil if it cannot be locked.
  private static func locked(_ folder: URL) -> FileDescriptor? {
    do {
      let opened = try FileDescriptor(folder.path, for: .folder)
      try opened.lock()
      return opened
    } catch {
      return nil
    }
  }
}
