import CSQLite
import Foundation
import Synchronization

/// Makes the writes to SQLite's files fail in the whole process.
///
/// For exit tests.
///
/// SQLite allows its calls of the operating system to be replaced: `xSetSystemCall` of
/// <https://www.sqlite.org/c3ref/vfs.html>.
enum FailingDisk {
  /// The `errno` with which writes fail, or 0.
  static let reason = Atomic<Int32>(0)
  /// The number of writes that succeed before they fail.
  static let writesLeft = Atomic<Int>(0)

  static func install() {
    let vfs = sqlite3_vfs_find(nil)
    let plain: @convention(c) (Int32, UnsafeRawPointer?, Int) -> Int = { file, bytes, count in
      FailingDisk.fails() ? -1 : write(file, bytes, count)
    }
    let placed: @convention(c) (Int32, UnsafeRawPointer?, Int, off_t) -> Int = {
      file, bytes, count, offset in
      FailingDisk.fails() ? -1 : pwrite(file, bytes, count, offset)
    }
    for (name, call) in [
      ("write", unsafeBitCast(plain, to: sqlite3_syscall_ptr.self)),
      ("pwrite", unsafeBitCast(placed, to: sqlite3_syscall_ptr.self)),
      ("pwrite64", unsafeBitCast(placed, to: sqlite3_syscall_ptr.self)),
    ] { _ = vfs?.pointee.xSetSystemCall(vfs, name, call) }
  }

  static func fail(_ number: Int32, afterWrites count: Int) {
    writesLeft.store(count, ordering: .sequentiallyConsistent)
    reason.store(number, ordering: .sequentiallyConsistent)
  }

  static func recover() { reason.store(0, ordering: .sequentiallyConsistent) }

  private static func fails() -> Bool {
    let number = reason.load(ordering: .sequentiallyConsistent)
    guard number != 0 else { return false }
    guard writesLeft.subtract(1, ordering: .sequentiallyConsistent).newValue < 0 else {
      return false
    }
    errno = number
    return true
  }
}
