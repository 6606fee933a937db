#if canImport(Glibc)
internal import Glibc
#elseif canImport(Musl)
internal import Musl
#elseif canImport(Darwin)
internal import Darwin
#endif

/// An open file or folder, closed when its last owner lets go.
final class OwnerOnlyFile: Sendable {
  let number: CInt
  let purpose: OwnerOnlyFolder.Purpose
  private let path: String

  private init(
    _ number: CInt, _ path: String, _ what: String, _ purpose: OwnerOnlyFolder.Purpose
  ) throws(OwnerOnlyError) {
    guard number >= 0 else {
      if errno == ELOOP || errno == ENOTDIR {
        throw OwnerOnlyError(
          code: .notPrivate,
          message:
            "The \(purpose.name) is not used, because \(path) is a symbolic link, or no folder. Remove it, or name another place for the \(purpose.name)."
        )
      }
      throw .system(what, errno, path, purpose)
    }
    self.number = number
    self.path = path
    self.purpose = purpose
  }

  deinit { close(number) }

  convenience init(opening path: String, for purpose: OwnerOnlyFolder.Purpose) throws(OwnerOnlyError) {
    try self.init(Self.openFolder(path), path, "open the folder", purpose)
  }

  /// Opens a folder; nil where there is none.
  convenience init?(ifThere path: String, for purpose: OwnerOnlyFolder.Purpose) throws(OwnerOnlyError) {
    let number = Self.openFolder(path)
    if number < 0 && errno == ENOENT { return nil }
    try self.init(number, path, "open the folder", purpose)
  }

  private static func openFolder(_ path: String) -> CInt {
    unsafe open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
  }

  /// Opens a file of the folder to read; nil where there is none.
  func file(ifThere name: String, _ path: String) throws(OwnerOnlyError) -> OwnerOnlyFile? {
    // Without waiting: a pipe in the place of the file would wait for a writer.
    let opened = unsafe openat(number, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC)
    if opened < 0 && errno == ENOENT { return nil }
    return try OwnerOnlyFile(opened, path, "open the file", purpose)
  }

  func newFile(_ name: String, _ path: String) throws(OwnerOnlyError) -> OwnerOnlyFile {
    let opened = unsafe openat(number, name, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o600)
    return try OwnerOnlyFile(opened, path, "create the file", purpose)
  }

  func lockFile(_ name: String, _ path: String) throws(OwnerOnlyError) -> OwnerOnlyFile {
    let opened = unsafe openat(number, name, O_RDWR | O_CREAT | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC, 0o600)
    return try OwnerOnlyFile(opened, path, "open the lock", purpose)
  }
}

// MARK: - Who may

extension OwnerOnlyFile {
  /// Refuses what somebody else owns, can read or can change.
  ///
  /// A file that another process has just replaced has no name any more, and is as good as it was.
  func requirePrivate(isFolder: Bool) throws(OwnerOnlyError) {
    var status = stat()
    guard unsafe fstat(number, &status) == 0 else { throw .system("look at", errno, path, purpose) }
    let kind = status.st_mode & S_IFMT
    guard kind == (isFolder ? S_IFDIR : S_IFREG), isFolder || status.st_nlink <= 1 else {
      throw notPrivate(
        "is no \(isFolder ? "folder" : "file of its own")", "Remove it, or name another place for the \(purpose.name).")
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
        "If nobody else can have read it, close it (chmod \(isFolder ? "700" : "600") \(path)); else \(purpose.remedyIfRead)."
      )
    }
  }

  private func notPrivate(_ reason: String, _ remedy: String) -> OwnerOnlyError {
    OwnerOnlyError(
      code: .notPrivate, message: "The \(purpose.name) is not used, because \(path) \(reason). \(remedy)")
  }
}

// MARK: - Bytes

extension OwnerOnlyFile {
  func readAll() throws(OwnerOnlyError) -> [UInt8] {
    var result: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 65_536)
    while true {
      let count = unsafe buffer.withUnsafeMutableBytes { unsafe systemRead(number, $0.baseAddress, $0.count) }
      if count == 0 { return result }
      if count > 0 {
        result += buffer[..<count]
      } else if errno != EINTR {
        throw .system("read", errno, path, purpose)
      }
    }
  }

  func write(_ bytes: [UInt8]) throws(OwnerOnlyError) {
    var rest = bytes[...]
    while !rest.isEmpty {
      let count = unsafe rest.withUnsafeBytes { unsafe systemWrite(number, $0.baseAddress, $0.count) }
      if count < 0 && errno == EINTR { continue }
      guard count > 0 else { throw .system("write", count < 0 ? errno : ENOSPC, path, purpose) }
      rest = rest.dropFirst(count)
    }
  }

  func sync() throws(OwnerOnlyError) {
    guard fsync(number) == 0 else { throw .system("bring to the disk", errno, path, purpose) }
  }

  func lock() throws(OwnerOnlyError) {
    while flock(number, LOCK_EX) != 0 {
      guard errno == EINTR else { throw .system("lock", errno, path, purpose) }
    }
  }

  func unlock() { _ = flock(number, LOCK_UN) }
}

extension OwnerOnlyError {
  static func system(
    _ what: String, _ number: CInt, _ path: String, _ purpose: OwnerOnlyFolder.Purpose
  ) -> OwnerOnlyError {
    let reason = unsafe String(cString: strerror(number))
    return OwnerOnlyError(
      code: .unavailable,
      message:
        "The \(purpose.name) could not \(what) \(path): \(reason). Let this program write there, or name another place for the \(purpose.name)."
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
