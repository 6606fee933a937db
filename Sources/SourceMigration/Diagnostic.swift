/// What the migration has to tell about one place in a source file.
package struct Diagnostic: Error, Sendable, Equatable, CustomStringConvertible {
  package enum Severity: String, Sendable {
    /// The file could not be understood and is left as it was.
    case error
    /// The place needs a change that only a person can make safely.
    case warning
    /// The place was changed in a way worth knowing about.
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

  /// One line in the form that compilers print and editors jump to.
  package var description: String { "\(path):\(line):\(column): \(severity.rawValue): \(message)" }
}
