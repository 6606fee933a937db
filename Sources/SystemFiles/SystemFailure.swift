#if canImport(Glibc)
internal import Glibc
#elseif canImport(Musl)
internal import Musl
#elseif canImport(Darwin)
internal import Darwin
#endif

/// A failed call of the operating system.
///
/// The caller knows the purpose of the call and reports it in its own error.
package struct SystemFailure: Error, Sendable {
  /// The failed action, such as “open the file”.
  package let what: String
  /// The path that the call used.
  package let path: String
  /// The system's error number.
  package let number: CInt

  /// The system's description of the error.
  package var reason: String {
    unsafe strerror(number).map { unsafe String(cString: $0) } ?? "unknown"
  }

  /// Whether the file does not exist.
  package var isMissing: Bool { number == ENOENT }
  /// Whether the user lacks a permission.
  package var isDenied: Bool { number == EACCES || number == EPERM }
  /// Whether a symbolic link, or a file in place of a folder, is in the way.
  package var isMisplaced: Bool { number == ELOOP || number == ENOTDIR }
  /// Whether the disk or the user's quota is full.
  package var isFull: Bool { [ENOSPC, EDQUOT, EFBIG].contains(number) }

  /// Returns the failure of the last call on this thread.
  static func last(_ what: String, _ path: String) -> SystemFailure {
    SystemFailure(what: what, path: path, number: errno)
  }
}
