import Foundation

/// The exit status of a command.
package enum CommandStatus: Int32, Sendable {
  /// The command succeeded.
  case success = 0
  /// A check found issues, or the command failed.
  case failure = 1
  /// The arguments were invalid. The number is that of BSD's `sysexits.h`.
  case usage = 64
}

extension CommandStatus {
  /// Ends the process with the status.
  ///
  /// The C libraries' cleanup is skipped, because it crashes threads that still run.
  package func endProcess() -> Never {
    fflush(nil)
    _exit(rawValue)
  }
}
