/// Something that keeps code from being generated, or that its reader should know, at a place in a
/// source file.
package struct GenerationProblem: Error, Hashable, Sendable, CustomStringConvertible {
  /// How bad it is, in the compiler's words.
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

  /// The compiler's format, which build systems and editors turn into a mark at the line.
  package var description: String {
    let place = line.map { "\(file):\($0)" } ?? file
    return "\(place): \(severity.rawValue): \(message)"
  }
}
