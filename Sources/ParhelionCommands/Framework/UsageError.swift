import Foundation

/// An invalid call of the tool.
///
/// The process ends with status 64.
package struct UsageError: Error, Sendable {
  /// A sentence that describes the error, with a suggestion if there is one.
  package let message: String
  /// The usage of the command, or a hint where to find help.
  package let hint: String

  init(_ message: String, hint: String) {
    self.message = message
    self.hint = hint
  }

  /// Creates an error that a command detects itself; the tool adds the usage line.
  package init(_ message: String) {
    self.init(message, hint: "")
  }

  init(_ message: String, in command: Command) {
    self.init(message, hint: HelpText.usage(of: command))
  }
}

/// A failure of a command.
///
/// The process ends with status 1.
package struct CommandError: Error, Sendable, CustomStringConvertible {
  /// A message with the failure, its place, and a remedy.
  package let message: String

  package init(_ message: String) {
    self.message = message
  }

  package var description: String { message }
}

extension CommandError {
  /// Runs `body`, and converts its error to a failure to write a file.
  static func writing(_ path: String, _ body: () throws -> Void) throws(CommandError) {
    do { try body() } catch {
      throw CommandError("\(path) cannot be written: \(reason(of: error))")
    }
  }

  /// The reason of a failed file operation, as a sentence: the system's, if it is known.
  package static func reason(of error: any Error) -> String {
    if let cause = (error as NSError).userInfo[NSUnderlyingErrorKey] as? POSIXError {
      let reason = unsafe String(cString: strerror(cause.code.rawValue))
      return "\(reason)."
    }
    return (error as? CocoaError)?.localizedDescription ?? "\(error)"
  }
}
