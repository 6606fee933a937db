/// A message of the migration about a position in a source file.
package struct Diagnostic: Error, Sendable, Equatable, CustomStringConvertible {
  package enum Severity: String, Sendable {
    /// The file could not be parsed or safely migrated, and remains unchanged.
    case error
    /// The code needs a change that only a person can make safely.
    case warning
    /// The code was changed in a way that the user should know about.
    case note
  }

  package let severity: Severity
  package let path: String
  package let line: Int
  package let column: Int
  package let message: String

  package init(_ severity: Severity, path: String, line: Int, column: Int, message: String) {
    self.severity = severity
    self.path = path
    self.line = line
    self.column = column
    self.message = message
  }

  /// One line in the format of compilers, which editors can open.
  package var description: String { "\(path):\(line):\(column): \(severity.rawValue): \(message)" }
}
