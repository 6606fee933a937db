internal import Synchronization
internal import SystemFiles

/// A folder for secrets that only its owner can look into, held open so that nobody can put another
/// one in its place.
///
/// The folder must be closed to everybody else (0700), and so must its files (0600): what is not is
/// refused, never mended, since somebody may have read it already. All files are opened below the
/// folder that was checked, and none through a symbolic link. Files are replaced whole and brought
/// to the disk. Several processes may use one folder. Where somebody removes it meanwhile, nothing
/// is kept, and who writes next makes another one.
package final class OwnerOnlyFolder: Sendable {
  /// What a folder is for, as errors say it.
  package struct Purpose: Sendable {
    /// Such as “key store”.
    package let name: String
    /// What to do where somebody else may have read it, such as “reset the encrypted data”.
    package let remedyIfRead: String

    package init(name: String, remedyIfRead: String) {
      self.name = name
      self.remedyIfRead = remedyIfRead
    }
  }

  private let path: String
  private let held: Mutex<OwnerOnlyFile>

  /// Opens the folder, and makes it and those above it where they are missing.
  package convenience init(_ path: String, for purpose: Purpose) throws(OwnerOnlyError) {
    try Self.make(path, purpose)
    try self.init(path, try OwnerOnlyFile(opening: path, for: purpose))
  }

  /// Opens the folder; nil where there is none.
  package convenience init?(ifThere path: String, for purpose: Purpose) throws(OwnerOnlyError) {
    guard let descriptor = try OwnerOnlyFile(ifThere: path, for: purpose) else { return nil }
    try self.init(path, descriptor)
  }

  private init(_ path: String, _ descriptor: OwnerOnlyFile) throws(OwnerOnlyError) {
    self.path = path
    held = Mutex(descriptor)
    try descriptor.requirePrivate(isFolder: true)
  }

  /// The folder that is held open or, where that was removed, the one that has its place now.
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

  /// The folder that a path lies in, which has the new name only once it is brought to the disk.
  private static func parent(of path: String) -> String {
    guard let slash = path.lastIndex(of: "/") else { return "." }
    return slash == path.startIndex ? "/" : String(path[..<slash])
  }
}

// MARK: - Files

extension OwnerOnlyFolder {
  /// The bytes of a file; nil where there is none.
  package func read(_ name: String) throws(OwnerOnlyError) -> [UInt8]? {
    guard let file = try descriptor.file(ifThere: name) else { return nil }
    try file.requirePrivate(isFolder: false)
    return try file.ask { (file) throws(SystemFailure) in try file.readAll() }
  }

  /// Puts a file in the place of another: whoever looks meanwhile, or after a loss of power, sees
  /// one of the two.
  ///
  /// Only who has the lock may do it.
  package func replace(_ name: String, with bytes: [UInt8]) throws(OwnerOnlyError) {
    let unfinished = "\(name).unfinished"
    // What a process left that was ended while it wrote; only the owner of the lock is here.
    try descriptor.ask { (folder) throws(SystemFailure) in try folder.remove(unfinished) }
    try descriptor.newFile(unfinished).ask { (file) throws(SystemFailure) in
      try file.write(bytes)
      try file.sync()
    }
    try rename(unfinished, name)
  }

  /// Gives a file another name, so that it is there for people and no program finds it; only who
  /// has the lock may do it.
  ///
  /// - Returns: Where it is now.
  package func setAside(_ name: String) throws(OwnerOnlyError) -> String {
    var number = 1
    while try stamp(of: "\(name).damaged-\(number)") != nil { number += 1 }
    let other = "\(name).damaged-\(number)"
    try rename(name, other)
    return path(of: other)
  }

  /// Removes a file; nothing happens where there is none.
  ///
  /// Only who has the lock may do it.
  package func remove(_ name: String) throws(OwnerOnlyError) {
    try descriptor.ask { (folder) throws(SystemFailure) in
      try folder.remove(name)
      try folder.sync()
    }
  }

  /// The names of the files, in an order that means nothing.
  package func names() throws(OwnerOnlyError) -> [String] {
    try descriptor.ask { (folder) throws(SystemFailure) in try folder.names() }
  }

  private func rename(_ name: String, _ other: String) throws(OwnerOnlyError) {
    try descriptor.ask { (folder) throws(SystemFailure) in
      try folder.rename(name, to: other)
      try folder.sync()
    }
  }

  /// Waits until no other process changes anything in the folder.
  package func lock() throws(OwnerOnlyError) -> OwnerOnlyLock {
    while true {
      let file = try descriptor(makingIt: true).lockFile("lock")
      try file.requirePrivate(isFolder: false)
      try file.ask { (file) throws(SystemFailure) in try file.lock() }
      // Where somebody removed the folder meanwhile, others lock the one that has its place now.
      guard try file.isGone else { return OwnerOnlyLock(file: file) }
      file.unlock()
    }
  }
}

/// The right to change a folder, until it is given back.
package struct OwnerOnlyLock: Sendable {
  let file: OwnerOnlyFile

  /// Gives the right back.
  ///
  /// Closing alone would leave the lock to a process that is being started, which has a copy of
  /// every descriptor for a moment.
  package func unlock() { file.unlock() }
}

// MARK: - Changes

/// Which version of a file it is: two that are equal stand for the same bytes.
package struct FileStamp: Hashable, Sendable {
  var file: UInt64
  var seconds: Int
  var nanoseconds: Int
  var byteCount: Int64
}

extension OwnerOnlyFolder {
  /// The version of a file, without a look into it; nil where there is none.
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
