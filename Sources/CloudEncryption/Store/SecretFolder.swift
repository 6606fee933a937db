#if canImport(Glibc)
internal import Glibc
#elseif canImport(Musl)
internal import Musl
#elseif canImport(Darwin)
internal import Darwin
#endif

/// A folder that only its owner can look into, held open so that nobody can put another one in its place.
///
/// All files are opened below the folder that was checked, and none through a symbolic link.
final class SecretFolder: Sendable {
  private let path: String
  private let descriptor: SecretFile

  /// Opens the folder, and makes it and those above it where they are missing.
  init(_ path: String) throws(EncryptionError) {
    self.path = path
    try Self.make(path)
    descriptor = try SecretFile(opening: path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW)
    try descriptor.requirePrivate(isFolder: true)
  }

  func path(of name: String) -> String { "\(path)/\(name)" }

  private static func make(_ path: String) throws(EncryptionError) {
    if unsafe mkdir(path, 0o700) == 0 || errno == EEXIST { return }
    guard errno == ENOENT, let slash = path.lastIndex(of: "/"), slash != path.startIndex else {
      throw .system("make the folder", errno, path)
    }
    try make(String(path[..<slash]))
    guard unsafe mkdir(path, 0o700) == 0 || errno == EEXIST else { throw .system("make the folder", errno, path) }
  }

  /// The bytes of a file; nil where there is none.
  func read(_ name: String) throws(EncryptionError) -> [UInt8]? {
    guard let file = try SecretFile(ifThere: name, in: descriptor, path(of: name)) else { return nil }
    try file.requirePrivate(isFolder: false)
    return try file.readAll()
  }

  /// Puts a file in the place of another: whoever looks meanwhile, or after a loss of power, sees one of the two.
  func replace(_ name: String, with bytes: [UInt8]) throws(EncryptionError) {
    let unfinished = "\(name).unfinished"
    // What a process left that was ended while it wrote; only the owner of the lock is here.
    unsafe unlinkat(descriptor.number, unfinished, 0)
    let file = try SecretFile(creating: unfinished, in: descriptor, path(of: unfinished))
    try file.write(bytes)
    try file.sync()
    guard unsafe renameat(descriptor.number, unfinished, descriptor.number, name) == 0 else {
      throw .system("replace the file", errno, path(of: name))
    }
    try descriptor.sync()
  }

  /// Waits until no other process changes anything in the folder.
  func lock() throws(EncryptionError) -> SecretFile {
    let lock = try SecretFile(locking: "lock", in: descriptor, path(of: "lock"))
    try lock.requirePrivate(isFolder: false)
    try lock.lock()
    return lock
  }
}

/// An open file or folder, closed when its last owner lets go.
final class SecretFile: Sendable {
  let number: CInt
  private let path: String

  private init(_ number: CInt, _ path: String, _ what: String) throws(EncryptionError) {
    guard number >= 0 else {
      if errno == ELOOP || errno == ENOTDIR {
        throw EncryptionError(
          .storeNotPrivate,
          "\(path) is not what a key store makes: a symbolic link, or no folder. Remove it, or name another place for the key store."
        )
      }
      throw .system(what, errno, path)
    }
    self.number = number
    self.path = path
  }

  deinit { close(number) }

  convenience init(opening path: String, _ flags: CInt) throws(EncryptionError) {
    try self.init(unsafe open(path, flags | O_CLOEXEC), path, "open the folder")
  }

  /// Opens a file to read; nil where there is none.
  convenience init?(ifThere name: String, in folder: SecretFile, _ path: String) throws(EncryptionError) {
    // Without waiting: a pipe in the place of the file would wait for a writer.
    let number = unsafe openat(folder.number, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC)
    if number < 0 && errno == ENOENT { return nil }
    try self.init(number, path, "open the file")
  }

  convenience init(creating name: String, in folder: SecretFile, _ path: String) throws(EncryptionError) {
    let number = unsafe openat(folder.number, name, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o600)
    try self.init(number, path, "create the file")
  }

  convenience init(locking name: String, in folder: SecretFile, _ path: String) throws(EncryptionError) {
    let number = unsafe openat(folder.number, name, O_RDWR | O_CREAT | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC, 0o600)
    try self.init(number, path, "open the lock")
  }
}

// MARK: - Who may

extension SecretFile {
  /// Refuses what somebody else owns, can read or can change.
  func requirePrivate(isFolder: Bool) throws(EncryptionError) {
    var status = stat()
    guard unsafe fstat(number, &status) == 0 else { throw .system("look at", errno, path) }
    let kind = status.st_mode & S_IFMT
    guard kind == (isFolder ? S_IFDIR : S_IFREG), isFolder || status.st_nlink == 1 else {
      throw notPrivate(
        "is no \(isFolder ? "folder" : "file of its own")", "Remove it, or name another place for the key store.")
    }
    guard status.st_uid == geteuid() else {
      throw notPrivate(
        "belongs to the user with the number \(status.st_uid), not to who runs this program (\(geteuid()))",
        "Name a folder of the user's own.")
    }
    guard status.st_mode & 0o077 == 0 else {
      let digits = String(status.st_mode & 0o777, radix: 8)
      throw notPrivate(
        "is open to other users of this machine (mode \(digits))",
        "If nobody else can have read it, close it (chmod \(isFolder ? "700" : "600") \(path)); else reset the encrypted data."
      )
    }
  }

  private func notPrivate(_ reason: String, _ remedy: String) -> EncryptionError {
    EncryptionError(.storeNotPrivate, "The key store is not used, because \(path) \(reason). \(remedy)")
  }
}

// MARK: - Bytes

extension SecretFile {
  func readAll() throws(EncryptionError) -> [UInt8] {
    var result: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 65_536)
    while true {
      let count = unsafe buffer.withUnsafeMutableBytes { unsafe systemRead(number, $0.baseAddress, $0.count) }
      if count == 0 { return result }
      if count > 0 {
        result += buffer[..<count]
      } else if errno != EINTR {
        throw .system("read", errno, path)
      }
    }
  }

  func write(_ bytes: [UInt8]) throws(EncryptionError) {
    var rest = bytes[...]
    while !rest.isEmpty {
      let count = unsafe rest.withUnsafeBytes { unsafe systemWrite(number, $0.baseAddress, $0.count) }
      if count < 0 && errno == EINTR { continue }
      guard count > 0 else { throw .system("write", count < 0 ? errno : ENOSPC, path) }
      rest = rest.dropFirst(count)
    }
  }

  func sync() throws(EncryptionError) {
    guard fsync(number) == 0 else { throw .system("bring to the disk", errno, path) }
  }

  func lock() throws(EncryptionError) {
    while flock(number, LOCK_EX) != 0 {
      guard errno == EINTR else { throw .system("lock", errno, path) }
    }
  }

  /// Closing alone would leave the lock to a process that is being started, which has a copy of every descriptor for a moment.
  func unlock() { _ = flock(number, LOCK_UN) }
}

extension EncryptionError {
  fileprivate static func system(_ what: String, _ number: CInt, _ path: String) -> EncryptionError {
    let reason = unsafe String(cString: strerror(number))
    return EncryptionError(
      .storeUnavailable,
      "The key store could not \(what) \(path): \(reason). Let this program write there, or name another place for the key store."
    )
  }
}

private func systemWrite(_ number: CInt, _ bytes: UnsafeRawPointer?, _ count: Int) -> Int {
  #if canImport(Glibc)
  unsafe Glibc.write(number, bytes, count)
  #elseif canImport(Musl)
  unsafe Musl.write(number, bytes, count)
  #elseif canImport(Darwin)
  unsafe Darwin.write(number, bytes, count)
  #endif
}

private func systemRead(_ number: CInt, _ bytes: UnsafeMutableRawPointer?, _ count: Int) -> Int {
  #if canImport(Glibc)
  unsafe Glibc.read(number, bytes, count)
  #elseif canImport(Musl)
  unsafe Musl.read(number, bytes, count)
  #elseif canImport(Darwin)
  unsafe Darwin.read(number, bytes, count)
  #endif
}
