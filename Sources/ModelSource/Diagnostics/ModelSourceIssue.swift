/// An error or a warning about the source of a model.
package struct ModelSourceIssue: Hashable, Sendable {
  /// The severity of an issue.
  package enum Severity: String, Sendable {
    /// The model cannot be used.
    case error
    /// The model can be used, but may not be what the developer intended.
    case warning
  }

  package let severity: Severity
  package let code: ModelSourceError.Code
  /// The path of the file or folder.
  package let file: String
  package let position: SourcePosition?
  /// The elements around the position, such as `entity Person › attribute name`.
  package let element: String?
  /// The XML attribute that is wrong.
  package let attribute: String?
  /// A sentence that says what is wrong.
  package let problem: String
  /// A sentence that says how to correct it.
  package let remedy: String
}

extension ModelSourceIssue: CustomStringConvertible {
  /// The issue in the format of compilers, which editors and build tools recognize:
  /// `file:line:column: error: text`.
  package var description: String {
    let place = position.map { ":\($0)" } ?? ""
    let context = [element, attribute.map { "attribute \($0)" }].compactMap(\.self).joined(
      separator: ", ")
    let subject = context.isEmpty ? "" : " [\(context)]"
    return "\(file)\(place): \(severity.rawValue): \(problem)\(subject) \(remedy)"
  }
}
