internal import RecordStorage
internal import SystemFiles

#if canImport(Glibc)
internal import Glibc
#elseif canImport(Musl)
internal import Musl
#elseif canImport(Darwin)
internal import Darwin
#endif

/// The ownership of a data folder: at most one server has it, and its death gives it back.
///
/// It is a lock of the operating system on a file that stays. What stands in the file is for
/// people: the number of the owner's process.
final class FolderLock: Sendable {
  private let descriptor: FileDescriptor

  /// Takes the folder; another owner is an error that names it.
  init(of folder: DataFolder) throws(StorageError) {
    descriptor = try StorageError.telling { () throws(SystemFailure) in
      try FileDescriptor(folder.lock, for: .locking)
    }
    guard try StorageError.telling({ () throws(SystemFailure) in try descriptor.tryLock() }) else {
      throw StorageError(
        .owned, "another server\(ownerName) uses the data folder; stop it, or name another folder",
        place: folder.path)
    }
    writeOwnerName()
  }

  deinit { descriptor.unlock() }

  /// Not being able to leave a name is no reason not to start.
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
