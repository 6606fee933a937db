/// One thing that is wrong, or suspect, in the source of a model.
package struct ModelSourceIssue: Hashable, Sendable {
  /// How bad it is.
  package enum Severity: String, Sendable {
    /// The model cannot be used.
    case error
    /// The model can be used, but is perhaps not what was meant.
    case warning
  }

  package let severity: Severity
  package let code: ModelSourceError.Code
  /// The path of the file or folder.
  package let file: String
  package let position: SourcePosition?
  /// The elements around the place, such as `entity Person › attribute name`.
  package let element: String?
  /// The XML attribute that is wrong.
  package let attribute: String?
  /// A sentence that says what is wrong.
  package let problem: String
  /// A sentence that says what to do.
  package let remedy: String
}

extension ModelSourceIssue: CustomStringConvertible {
  /// The issue in the form of compilers, which editors and build tools recognise:
  /// `file:line:column: error: text`.
  package var description: String {
    let place = position.map { ":\($0)" } ?? ""
    let context = [element, attribute.map { "attribute \($0)" }].compactMap(\.self).joined(
      separator: ", ")
    let subject = context.isEmpty ? "" : " [\(context)]"
    return "\(file)\(place): \(severity.rawValue): \(problem)\(subject) \(remedy)"
  }
}
