import Foundation

/// An invalid call of the tool.
///
/// It ends with status 64.
package struct UsageError: Error, Sendable {
  /// A sentence that describes the error, with a suggestion if there is one.
  package let message: String
  /// A one-line hint where to find help.
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
    self.init(message, hint: "usage: \(command.usage)")
  }
}

/// A failure of a command.
///
/// It ends with status 1.
package struct CommandError: Error, Sendable, CustomStringConvertible {
  /// A message with the failure, its place, and a remedy.
  package let message: String

  package init(_ message: String) {
    self.message = message
  }

  package var description: String { message }
}

extension CommandError {
  /// Runs `body`, and reports its error as a failure to write a file.
  static func writing(_ path: String, _ body: () throws -> Void) throws(CommandError) {
    do { try body() } catch {
      let cause = (error as NSError).userInfo[NSUnderlyingErrorKey] as? POSIXError
      let reason = cause?.localizedDescription ?? (error as? CocoaError)?.localizedDescription
      throw CommandError("\(path) cannot be written: \(reason ?? "\(error)")")
    }
  }
}
