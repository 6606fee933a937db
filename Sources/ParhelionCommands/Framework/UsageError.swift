/// A call of the tool that it does not understand.
///
/// It ends with status 64.
package struct UsageError: Error, Sendable {
  /// A sentence that says what is wrong, with a suggestion where there is one.
  package let message: String
  /// Where to read on, in one line.
  package let hint: String

  init(_ message: String, hint: String) {
    self.message = message
    self.hint = hint
  }

  /// A wrong call that a command finds itself; the tool adds how the command is called.
  package init(_ message: String) {
    self.init(message, hint: "")
  }

  init(_ message: String, in command: Command) {
    self.init(message, hint: "usage: \(command.usage)")
  }
}

/// Why a command could not do what was asked.
///
/// It ends with status 1.
package struct CommandError: Error, Sendable, CustomStringConvertible {
  /// What went wrong, where, and what to do.
  package let message: String

  package init(_ message: String) {
    self.message = message
  }

  package var description: String { message }
}
