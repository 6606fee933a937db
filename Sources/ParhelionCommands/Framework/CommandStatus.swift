/// How a command ended, as the number that the process exits with.
package enum CommandStatus: Int32, Sendable {
  /// It did what was asked.
  case success = 0
  /// A check failed, or something could not be done.
  case failure = 1
  /// It was called in a wrong way. The number is that of BSD's sysexits.
  case usage = 64
}
