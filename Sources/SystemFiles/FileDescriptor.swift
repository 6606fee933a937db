#if canImport(Glibc)
internal import Glibc
#elseif canImport(Musl)
internal import Musl
#elseif canImport(Darwin)
internal import Darwin
#endif

/// An open file or folder, which closes when its owner releases it.
package struct FileDescriptor: ~Copyable, Sendable {
  /// The purpose of opening a file.
  package enum Use: Sendable {
    /// Reads an existing file. Symbolic links are refused, and a pipe without a writer does not
    /// block.
    case reading
    /// Reads a file that the user named. Symbolic links are followed, and a pipe waits for its
    /// writer.
    case input
    /// Creates a file for its owner alone. The file must not exist.
    case creating
    /// Opens a lock file, and creates it for its owner alone if it does not exist.
    case locking
    case folder
    /// Opens a folder, but not through a symbolic link.
    case folderItself

    fileprivate var flags: CInt {
      switch self {
      case .reading: O_RDONLY | O_NOFOLLOW | O_NONBLOCK
      case .input: O_RDONLY
      case .creating: O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW
      case .locking: O_RDWR | O_CREAT | O_NOFOLLOW | O_NONBLOCK
      case .folder: O_RDONLY | O_DIRECTORY
      case .folderItself: O_RDONLY | O_DIRECTORY | O_NOFOLLOW
      }
    }

    fileprivate var action: String {
      switch self {
      case .reading, .input: "open the file"
      case .creating: "create the file"
      case .locking: "open the lock"
      case .folder, .folderItself: "open the folder"
      }
    }
  }

  let number: CInt
  package let path: String

  private init(_ name: String, in folder: CInt, _ path: String, for use: Use) throws(SystemFailure)
  {
    let opened = unsafe openat(folder, name, use.flags | O_CLOEXEC, 0o600)
    guard opened >= 0 else { throw .last(use.action, path) }
    number = opened
    self.path = path
  }

  package init(_ path: String, for use: Use) throws(SystemFailure) {
    try self.init(path, in: AT_FDCWD, path, for: use)
  }

  /// Opens a file in this folder, even if the folder was renamed.
  package func open(_ name: String, for use: Use) throws(SystemFailure) -> FileDescriptor {
    try FileDescriptor(name, in: number, "\(path)/\(name)", for: use)
  }

  deinit { close(number) }
}

// MARK: - Bytes

extension FileDescriptor {
  package func write(_ bytes: [UInt8]) throws(SystemFailure) {
    var rest = bytes[...]
    while !rest.isEmpty {
      let count = unsafe rest.withUnsafeBytes {
        unsafe systemWrite(number, $0.baseAddress, $0.count)
      }
      if count < 0 && errno == EINTR { continue }
      guard count > 0 else {
        throw SystemFailure(what: "write the file", path: path, number: count < 0 ? errno : ENOSPC)
      }
      rest = rest.dropFirst(count)
    }
  }

  /// Truncates the file.
  package func empty() throws(SystemFailure) {
    guard ftruncate(number, 0) == 0 else { throw .last("empty the file", path) }
  }

  /// Reads the next bytes into a buffer, and returns their number, or 0 at the end.
  package func read(into buffer: inout [UInt8]) throws(SystemFailure) -> Int {
    while true {
      let count = unsafe buffer.withUnsafeMutableBytes {
        unsafe systemRead(number, $0.baseAddress, $0.count)
      }
      if count >= 0 { return count }
      guard errno == EINTR else { throw .last("read the file", path) }
    }
  }

  /// Reads the rest of the file.
  package func readAll() throws(SystemFailure) -> [UInt8] {
    var result: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 65_536)
    while true {
      let count = try read(into: &buffer)
      guard count > 0 else { return result }
      result += buffer[..<count]
    }
  }

  /// Waits until written data, or the names in a folder, survive a loss of power.
  package func sync() throws(SystemFailure) {
    guard fsync(number) == 0 else { throw .last("bring to the disk", path) }
  }

  /// Starts to sync a part of the file without waiting.
  package func startSync(from offset: Int64, count: Int64) {
    #if os(Linux)
    // Linux takes this advice as a request to write the pages out.
    _ = posix_fadvise(number, off_t(offset), off_t(count), CInt(POSIX_FADV_DONTNEED))
    #endif
  }

  package func attributes() throws(SystemFailure) -> FileAttributes {
    var status = stat()
    guard unsafe fstat(number, &status) == 0 else { throw .last("look at", path) }
    return FileAttributes(status)
  }

  /// The number of bytes that the disk has for unprivileged users.
  package func freeBytes() throws(SystemFailure) -> Int64 {
    var status = statvfs()
    guard unsafe fstatvfs(number, &status) == 0 else { throw .last("look at the disk", path) }
    let (bytes, isTooLarge) = UInt64(status.f_bavail).multipliedReportingOverflow(
      by: UInt64(status.f_frsize))
    return isTooLarge ? .max : Int64(clamping: bytes)
  }
}

// MARK: - Locks

extension FileDescriptor {
  /// Waits for the lock of the file.
  package func lock() throws(SystemFailure) {
    while flock(number, LOCK_EX) != 0 {
      guard errno == EINTR else { throw .last("lock", path) }
    }
  }

  /// Takes the lock of the file, or returns false if it is held elsewhere.
  package func tryLock() throws(SystemFailure) -> Bool {
    if flock(number, LOCK_EX | LOCK_NB) == 0 { return true }
    guard errno == EWOULDBLOCK else { throw .last("lock", path) }
    return false
  }

  /// Releases the lock of the file at once.
  ///
  /// Closing the descriptor is not enough: a process that is being started briefly has a copy of
  /// every descriptor.
  package func unlock() { _ = flock(number, LOCK_UN) }
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
