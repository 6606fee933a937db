import Foundation
import ObjectRows

/// A file that is read and written as a whole.
///
/// A write goes to a new file, which then replaces the former one. So a killed process or a full
/// disk leaves the former file as it was.
struct AtomicFile {
  let url: URL
  let dependencies: StackDependencies

  private var files: any FileSystem { dependencies.files }
  /// The file that is written.
  ///
  /// A symbolic link at the URL is followed, so that it stays a link.
  private var target: URL { url.resolvingSymlinksInPath() }
  private var folder: URL { target.deletingLastPathComponent() }
  /// The beginning of the names of interim files, before a UUID.
  private var prefix: String { ".\(target.lastPathComponent)." }

  /// The bytes, or nil if there is no file.
  func read() throws -> Data? {
    files.itemExists(at: url) ? try files.contents(of: url) : nil
  }

  /// Runs a closure that reads and then writes the file, while no other program does the same.
  func withLock(_ body: () throws -> Void) throws {
    try files.withLock(of: folder, body)
  }

  /// Removes the interim files of processes that were killed.
  ///
  /// It waits while another process saves and holds the lock.
  func removeRemains() {
    guard let remains = try? interimFiles(), !remains.isEmpty else { return }
    try? withLock {
      for file in try interimFiles() { try files.removeItem(at: file) }
    }
  }

  private func interimFiles() throws -> [URL] {
    let (folder, prefix) = (folder, prefix)
    return try files.names(in: folder).filter {
      $0.hasPrefix(prefix) && UUID(uuidString: String($0.dropFirst(prefix.count))) != nil
    }.map { folder.appendingPathComponent($0) }
  }

  func write(_ data: Data) throws {
    let interim = folder.appendingPathComponent(prefix + dependencies.makeUUID().uuidString)
    do {
      try files.write(data, to: interim)
      try files.synchronize(interim)
      try files.replaceItem(at: target, withItemAt: interim)
    } catch {
      // The interim file may not exist.
      try? files.removeItem(at: interim)
      throw Self.failure(error, url)
    }
    // The new file is in place, so an error here does not fail the save.
    try? files.synchronize(folder)
  }

  private static func failure(_ error: any Error, _ url: URL) -> StoreError {
    let reason = error as NSError
    let isFull =
      reason.domain == NSPOSIXErrorDomain && reason.code == Int(ENOSPC)
      || reason.domain == NSCocoaErrorDomain
        && reason.code == CocoaError.Code.fileWriteOutOfSpace.rawValue
    return StoreError(
      isFull ? .outOfSpace : .cannotSave,
      isFull
        ? "The disk is full: the store \(url.path) is unchanged."
        : "The store \(url.path) cannot be written, and is unchanged.",
      context: ["file": url.path], underlying: error)
  }
}

/// The size and hash of a file's contents, which show whether another program changed them.
struct FileFingerprint: Equatable {
  private let bytes: Int
  private let hash: UInt64

  /// Hashes the contents with FNV-1a.
  init(_ data: Data) {
    bytes = data.count
    hash = data.reduce(0xCBF2_9CE4_8422_2325) { ($0 ^ UInt64($1)) &* 0x100_0000_01B3 }
  }
}

extension StoreError.Code {
  /// A file cannot be written.
  static let cannotSave = Self("cannotSave", cocoaCode: 134030)
  /// Another program changed a file since it was read.
  static let changedElsewhere = Self("changedElsewhere", cocoaCode: 134030)
}
