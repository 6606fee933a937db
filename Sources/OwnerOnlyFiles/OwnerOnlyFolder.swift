internal import Synchronization
internal import SystemFiles

/// A folder for secrets that only its owner can read.
///
/// The folder stays open, so another one cannot take its place. Its mode must be 0700 and that of
/// its files 0600. A wider mode is refused and not corrected, because the content may have been
/// read already. Files are opened relative to the checked folder, never through symbolic links, and
/// are replaced as a whole and synced. Several processes may use one folder. If it is removed, its
/// content is lost and the next write creates it again.
package final class OwnerOnlyFolder: Sendable {
  /// The purpose of a folder, as error messages name it.
  package struct Purpose: Sendable {
    /// The name of the purpose, such as “key store”.
    package let name: String
    /// The remedy if another user may have read the folder, such as “reset the encrypted data”.
    package let remedyIfRead: String

    package init(name: String, remedyIfRead: String) {
      self.name = name
      self.remedyIfRead = remedyIfRead
    }
  }

  private let path: String
  private let held: Mutex<OwnerOnlyFile>

  /// Opens the folder, and creates it and its parents if they do not exist.
  package convenience init(_ path: String, for purpose: Purpose) throws(OwnerOnlyError) {
    try Self.make(path, purpose)
    try self.init(path, try OwnerOnlyFile(opening: path, for: purpose))
  }

  /// Opens the folder, or returns nil if it does not exist.
  package convenience init?(ifThere path: String, for purpose: Purpose) throws(OwnerOnlyError) {
    guard let descriptor = try OwnerOnlyFile(ifThere: path, for: purpose) else { return nil }
    try self.init(path, descriptor)
  }

  private init(_ path: String, _ descriptor: OwnerOnlyFile) throws(OwnerOnlyError) {
    self.path = path
    held = Mutex(descriptor)
    try descriptor.requirePrivate(isFolder: true)
  }

  /// The open folder or, if that was removed, the one that has its path now.
  private var descriptor: OwnerOnlyFile {
    get throws(OwnerOnlyError) { try descriptor(makingIt: false) }
  }

  private func descriptor(makingIt: Bool) throws(OwnerOnlyError) -> OwnerOnlyFile {
    let known = held.withLock { $0 }
    guard try known.isGone else { return known }
    if makingIt { try Self.make(path, known.purpose) }
    guard let next = try OwnerOnlyFile(ifThere: path, for: known.purpose) else { return known }
    try next.requirePrivate(isFolder: true)
    held.withLock { $0 = next }
    return next
  }

  package func path(of name: String) -> String { "\(path)/\(name)" }

  private static func make(_ path: String, _ purpose: Purpose) throws(OwnerOnlyError) {
    do throws(SystemFailure) { try make(path) } catch { throw OwnerOnlyError(error, purpose) }
  }

  private static func make(_ path: String) throws(SystemFailure) {
    do throws(SystemFailure) {
      return try FileNames.makeFolder(path, in: parent(of: path))
    } catch {
      guard error.isMissing, let slash = path.lastIndex(of: "/"), slash != path.startIndex else {
        throw error
      }
      try make(String(path[..<slash]))
    }
    try FileNames.makeFolder(path, in: parent(of: path))
  }

  /// The parent of a path.
  ///
  /// It must be synced to make a new name in it durable.
  private static func parent(of path: String) -> String {
    guard let slash = path.lastIndex(of: "/") else { return "." }
    return slash == path.startIndex ? "/" : String(path[..<slash])
  }
}

// MARK: - Files

extension OwnerOnlyFolder {
  /// Returns the bytes of a file, or nil if it does not exist.
  package func read(_ name: String) throws(OwnerOnlyError) -> [UInt8]? {
    guard let file = try descriptor.file(ifThere: name) else { return nil }
    try file.requirePrivate(isFolder: false)
    return try file.ask { (file) throws(SystemFailure) in try file.readAll() }
  }

  /// Replaces a file atomically: even after a power failure, readers see the old or the new one.
  ///
  /// The caller must hold the lock.
  package func replace(_ name: String, with bytes: [UInt8]) throws(OwnerOnlyError) {
    let unfinished = "\(name).unfinished"
    // Remove the remains of a process that ended while it wrote. This process holds the lock.
    try descriptor.ask { (folder) throws(SystemFailure) in try folder.remove(unfinished) }
    try descriptor.newFile(unfinished).ask { (file) throws(SystemFailure) in
      try file.write(bytes)
      try file.sync()
    }
    try rename(unfinished, name)
  }

  /// Renames a damaged file, so that programs ignore it and a person can inspect it.
  ///
  /// The caller must hold the lock.
  ///
  /// - Returns: The new path.
  package func setAside(_ name: String) throws(OwnerOnlyError) -> String {
    var number = 1
    while try stamp(of: "\(name).damaged-\(number)") != nil { number += 1 }
    let other = "\(name).damaged-\(number)"
    try rename(name, other)
    return path(of: other)
  }

  /// Removes a file, if it exists.
  ///
  /// The caller must hold the lock.
  package func remove(_ name: String) throws(OwnerOnlyError) {
    try descriptor.ask { (folder) throws(SystemFailure) in
      try folder.remove(name)
      try folder.sync()
    }
  }

  /// Returns the names of the files, in no particular order.
  package func names() throws(OwnerOnlyError) -> [String] {
    try descriptor.ask { (folder) throws(SystemFailure) in try folder.names() }
  }

  private func rename(_ name: String, _ other: String) throws(OwnerOnlyError) {
    try descriptor.ask { (folder) throws(SystemFailure) in
      try folder.rename(name, to: other)
      try folder.sync()
    }
  }

  /// Waits until no other process changes the folder, and locks it.
  package func lock() throws(OwnerOnlyError) -> OwnerOnlyLock {
    while true {
      let file = try descriptor(makingIt: true).lockFile("lock")
      try file.requirePrivate(isFolder: false)
      try file.ask { (file) throws(SystemFailure) in try file.lock() }
      // If the folder was removed in the meantime, other processes lock the new one at its path.
      guard try file.isGone else { return OwnerOnlyLock(file: file) }
      file.unlock()
    }
  }
}

/// The lock of a folder.
package struct OwnerOnlyLock: Sendable {
  let file: OwnerOnlyFile

  /// Releases the lock.
  ///
  /// Closing the descriptor is not enough: a process that is being started briefly has a copy of
  /// every descriptor.
  package func unlock() { file.unlock() }
}

// MARK: - Changes

/// The version of a file.
///
/// Equal stamps mean equal bytes.
package struct FileStamp: Hashable, Sendable {
  var file: UInt64
  var seconds: Int
  var nanoseconds: Int
  var byteCount: Int64
}

extension OwnerOnlyFolder {
  /// Returns the version of a file without reading it, or nil if it does not exist.
  package func stamp(of name: String) throws(OwnerOnlyError) -> FileStamp? {
    let found = try descriptor.ask { (folder) throws(SystemFailure) in
      try folder.attributes(of: name)
    }
    return found.map { attributes in
      FileStamp(
        file: attributes.identity, seconds: attributes.changedSeconds,
        nanoseconds: attributes.changedNanoseconds,
        byteCount: attributes.size)
    }
  }
}
