#if canImport(Glibc)
internal import Glibc
#elseif canImport(Musl)
internal import Musl
#elseif canImport(Darwin)
internal import Darwin
#endif

/// A call of the operating system that failed; whoever made it knows what it was for, and says that
/// in an error of its own.
package struct SystemFailure: Error, Sendable {
  /// What could not be done, such as “open the file”.
  package let what: String
  /// What it could not be done with.
  package let path: String
  /// The system's number.
  package let number: CInt

  /// What the system says.
  package var reason: String {
    unsafe strerror(number).map { unsafe String(cString: $0) } ?? "unknown"
  }

  /// Whether there is nothing of that name.
  package var isMissing: Bool { number == ENOENT }
  /// Whether a symbolic link is in the way, or something that is no folder.
  package var isMisplaced: Bool { number == ELOOP || number == ENOTDIR }
  /// Whether the disk, or what the user may have of it, is full.
  package var isFull: Bool { [ENOSPC, EDQUOT, EFBIG].contains(number) }

  /// The failure of the last call on this thread.
  static func last(_ what: String, _ path: String) -> SystemFailure {
    SystemFailure(what: what, path: path, number: errno)
  }
}
