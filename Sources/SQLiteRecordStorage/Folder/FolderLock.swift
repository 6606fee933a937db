internal import RecordStorage

#if canImport(Glibc)
internal import Glibc
#elseif canImport(Musl)
internal import Musl
#elseif canImport(Darwin)
internal import Darwin
#endif

/// The ownership of a data folder: at most one server has it, and its death gives it back.
///
/// It is a lock of the operating system on a file that stays. What stands in the file is for people: the number of the owner's process.
final class FolderLock: Sendable {
  private let descriptor: Int32

  /// Takes the folder; another owner is an error that names it.
  init(of folder: DataFolder) throws(StorageError) {
    let opened = unsafe open(folder.lock, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
    guard opened >= 0 else { throw StorageError.system("cannot open the lock of the data folder", errno, folder.lock) }
    guard flock(opened, LOCK_EX | LOCK_NB) == 0 else {
      let reason = errno
      let owner = Self.ownerName(opened)
      close(opened)
      guard reason == EWOULDBLOCK else { throw StorageError.system("cannot lock the data folder", reason, folder.lock) }
      throw StorageError(
        .owned, "another server\(owner) uses the data folder; stop it, or name another folder", place: folder.path)
    }
    descriptor = opened
    writeOwnerName()
  }

  /// Closing alone would leave the lock to a process that is being started, which has a copy of every descriptor for a moment.
  deinit {
    _ = flock(descriptor, LOCK_UN)
    close(descriptor)
  }

  /// Not being able to leave a name is no reason not to start.
  private func writeOwnerName() {
    let name = Array("\(getpid())\n".utf8)
    guard ftruncate(descriptor, 0) == 0 else { return }
    _ = unsafe name.withUnsafeBytes { unsafe pwrite(descriptor, $0.baseAddress, $0.count, 0) }
  }

  private static func ownerName(_ descriptor: Int32) -> String {
    var bytes = [UInt8](repeating: 0, count: 20)
    let count = unsafe bytes.withUnsafeMutableBytes { unsafe pread(descriptor, $0.baseAddress, $0.count, 0) }
    let digits = bytes.prefix(max(0, count)).prefix { $0 >= UInt8(ascii: "0") && $0 <= UInt8(ascii: "9") }
    return digits.isEmpty ? "" : " (process \(String(decoding: digits, as: UTF8.self)))"
  }
}
