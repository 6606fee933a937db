/// An error or a warning of the code generation, at a position in a source file.
package struct GenerationIssue: Error, Hashable, Sendable, CustomStringConvertible {
  /// The severity, as the compiler names it.
  package enum Severity: String, Sendable {
    case error, warning
  }

  package var severity: Severity
  package var file: String
  package var line: Int?
  package var message: String

  package init(_ severity: Severity = .error, file: String, line: Int? = nil, _ message: String) {
    self.severity = severity
    self.file = file
    self.line = line
    self.message = message
  }

  /// The issue in the compiler's format, which build systems and editors show at the line.
  package var description: String {
    let place = line.map { "\(file):\($0)" } ?? file
    return "\(place): \(severity.rawValue): \(message)"
  }
}
