#if canImport(Glibc)
internal import Glibc
#elseif canImport(Musl)
internal import Musl
#elseif canImport(Darwin)
internal import Darwin
#endif

/// An open file or folder, closed when its owner lets go of it.
struct FileDescriptor: ~Copyable, Sendable {
  private let number: CInt
  private let path: String

  private init(_ path: String, _ flags: CInt, _ what: String) throws(AssetStorageError) {
    let opened = unsafe open(path, flags | O_CLOEXEC, 0o600)
    guard opened >= 0 else { throw .system(what, errno, path) }
    number = opened
    self.path = path
  }

  deinit { close(number) }

  static func reading(_ path: String) throws(AssetStorageError) -> FileDescriptor {
    try FileDescriptor(path, O_RDONLY | O_NOFOLLOW, "open the file")
  }

  /// A new file, which must not be there.
  static func creating(_ path: String) throws(AssetStorageError) -> FileDescriptor {
    try FileDescriptor(path, O_WRONLY | O_CREAT | O_EXCL, "create the file")
  }

  /// A file that everybody who wants to own the folder opens.
  static func locking(_ path: String) throws(AssetStorageError) -> FileDescriptor {
    try FileDescriptor(path, O_RDWR | O_CREAT, "open the lock")
  }

  static func folder(_ path: String) throws(AssetStorageError) -> FileDescriptor {
    try FileDescriptor(path, O_RDONLY | O_DIRECTORY, "open the folder")
  }
}

// MARK: - Bytes

extension FileDescriptor {
  func write(_ bytes: [UInt8]) throws(AssetStorageError) {
    var rest = bytes[...]
    while !rest.isEmpty {
      let count = unsafe rest.withUnsafeBytes { unsafe systemWrite(number, $0.baseAddress, $0.count) }
      if count < 0 && errno == EINTR { continue }
      guard count > 0 else { throw .system("write the file", count < 0 ? errno : ENOSPC, path) }
      rest = rest.dropFirst(count)
    }
  }

  /// Reads into a buffer what comes next; the number of bytes, 0 at the end.
  func read(into buffer: inout [UInt8]) throws(AssetStorageError) -> Int {
    while true {
      let count = unsafe buffer.withUnsafeMutableBytes { unsafe systemRead(number, $0.baseAddress, $0.count) }
      if count >= 0 { return count }
      guard errno == EINTR else { throw .system("read the file", errno, path) }
    }
  }

  /// Waits until what was written, or the names in a folder, outlive a loss of power.
  func sync() throws(AssetStorageError) {
    guard fsync(number) == 0 else { throw .system("bring to the disk", errno, path) }
  }

  /// Asks the system to begin with bringing a part of the file to the disk; nothing waits for it.
  func startSync(from offset: Int64, count: Int64) {
    #if os(Linux)
    // Linux takes it for the wish to have the pages written, so that they can go.
    _ = posix_fadvise(number, off_t(offset), off_t(count), CInt(POSIX_FADV_DONTNEED))
    #endif
  }

  /// Takes the lock of the file; false where somebody else has it.
  func lock() throws(AssetStorageError) -> Bool {
    if flock(number, LOCK_EX | LOCK_NB) == 0 { return true }
    guard errno == EWOULDBLOCK else { throw .system("lock the folder", errno, path) }
    return false
  }

  /// Gives the lock of the file back at once.
  ///
  /// Closing alone would leave it to a process that is being started, which has a copy of every descriptor for a moment.
  func unlock() { _ = flock(number, LOCK_UN) }

  /// How many bytes the disk has for everybody.
  func freeBytes() throws(AssetStorageError) -> Int64 {
    var status = statvfs()
    guard unsafe fstatvfs(number, &status) == 0 else { throw .system("look at the disk", errno, path) }
    let (bytes, isTooLarge) = UInt64(status.f_bavail).multipliedReportingOverflow(by: UInt64(status.f_frsize))
    return isTooLarge ? .max : Int64(clamping: bytes)
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
