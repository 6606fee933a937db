internal import RecordStorage

#if canImport(Glibc)
internal import Glibc
#elseif canImport(Musl)
internal import Musl
#elseif canImport(Darwin)
internal import Darwin
#endif

/// The folder of a store, and the files in it.
///
/// | file | holds |
/// |---|---|
/// | `records.sqlite`, `-wal`, `-shm` | the entries |
/// | `server.lock` | nothing that lasts: who owns the folder |
struct DataFolder {
  let path: String

  var database: String { path + "/records.sqlite" }
  var lock: String { path + "/server.lock" }

  /// Makes the folder, for its owner alone, where it is missing.
  func create() throws(StorageError) {
    guard unsafe mkdir(path, 0o700) != 0 else {
      try Self.sync(Self.parent(of: path))
      return
    }
    let reason = errno
    guard reason == EEXIST else { throw StorageError.system("cannot create the folder of the store", reason, path) }
  }
}

extension DataFolder {
  static func exists(_ path: String) -> Bool { unsafe access(path, F_OK) == 0 }

  /// Makes an empty file that its owner alone may read, where it is missing.
  static func createFile(_ path: String) throws(StorageError) {
    let descriptor = unsafe open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else { throw StorageError.system("cannot create the file", errno, path) }
    close(descriptor)
  }

  /// Gives a file its final name, once and for all: after this it is there after a loss of power too.
  static func rename(_ path: String, to final: String) throws(StorageError) {
    guard systemRename(path, final) == 0 else {
      throw StorageError.system("cannot rename \(path)", errno, final)
    }
    try sync(parent(of: final))
  }

  static func remove(_ path: String) throws(StorageError) {
    guard unsafe unlink(path) == 0 || errno == ENOENT else {
      throw StorageError.system("cannot remove the file", errno, path)
    }
  }

  /// Waits until the names in a folder are safe.
  static func sync(_ folder: String) throws(StorageError) {
    let descriptor = unsafe open(folder, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { throw StorageError.system("cannot open the folder", errno, folder) }
    defer { close(descriptor) }
    guard fsync(descriptor) == 0 else { throw StorageError.system("cannot write the folder", errno, folder) }
  }

  static func parent(of path: String) -> String {
    var parts = path.split(separator: "/", omittingEmptySubsequences: true)
    guard !parts.isEmpty else { return "/" }
    parts.removeLast()
    let isAbsolute = path.utf8.first == UInt8(ascii: "/")
    if parts.isEmpty { return isAbsolute ? "/" : "." }
    return (isAbsolute ? "/" : "") + parts.joined(separator: "/")
  }

  private static func systemRename(_ path: String, _ final: String) -> Int32 {
    #if canImport(Glibc)
    unsafe Glibc.rename(path, final)
    #elseif canImport(Musl)
    unsafe Musl.rename(path, final)
    #elseif canImport(Darwin)
    unsafe Darwin.rename(path, final)
    #endif
  }
}

extension StorageError {
  /// A call of the operating system that failed.
  static func system(_ what: String, _ number: Int32, _ place: String) -> StorageError {
    let reason = unsafe strerror(number).map { unsafe String(cString: $0) } ?? "unknown"
    let code: Code = number == ENOSPC || number == EDQUOT ? .full : .unavailable
    return StorageError(
      code, "\(what): \(reason) (system error \(number)); check the path, the rights and the room on the disk",
      place: place)
  }
}
