internal import RecordStorage
internal import SystemFiles

#if canImport(Glibc)
internal import Glibc
#elseif canImport(Musl)
internal import Musl
#elseif canImport(Darwin)
internal import Darwin
#endif

/// The ownership of a data folder, which at most one server has at a time.
///
/// It is a lock on a permanent file, which the operating system releases when the process ends. The
/// file contains the owner's process ID, for people.
final class FolderLock: Sendable {
  private let descriptor: FileDescriptor

  /// Locks the folder, or throws an error that names the current owner.
  init(of folder: DataFolder) throws(StorageError) {
    descriptor = try StorageError.mappingErrors { () throws(SystemFailure) in
      try FileDescriptor(folder.lock, for: .locking)
    }
    guard try StorageError.mappingErrors({ () throws(SystemFailure) in try descriptor.tryLock() })
    else {
      throw StorageError(
        .owned, "another server\(ownerName) uses the data folder; stop it, or name another folder",
        place: folder.path)
    }
    writeOwnerName()
  }

  deinit { descriptor.unlock() }

  /// Writes the process ID into the lock file.
  ///
  /// A failure does not prevent the start.
  private func writeOwnerName() {
    guard (try? descriptor.empty()) != nil else { return }
    try? descriptor.write(Array("\(getpid())\n".utf8))
  }

  private var ownerName: String {
    var bytes = [UInt8](repeating: 0, count: 20)
    let count = (try? descriptor.read(into: &bytes)) ?? 0
    let digits = bytes.prefix(count).prefix { $0 >= UInt8(ascii: "0") && $0 <= UInt8(ascii: "9") }
    return digits.isEmpty ? "" : " (process \(String(decoding: digits, as: UTF8.self)))"
  }
}
