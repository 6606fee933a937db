package import CloudRecords

/// A position in a text.
///
/// Lines and columns start at 1.
package struct TextPosition: Hashable, Sendable {
  package var line: Int
  /// The column in characters, as editors count them.
  package var column: Int

  package init(line: Int, column: Int) {
    self.line = line
    self.column = column
  }
}

/// One reason for rejecting a schema, with its place and its remedy.
package struct SchemaIssue: Error, Hashable, Sendable {
  /// The position in the text, for issues of a text.
  package var position: TextPosition?
  /// A sentence that names the record type and the field.
  package var sentence: String
  /// One or more sentences with the remedy.
  package var remedy: String

  package init(_ sentence: String, remedy: String, at position: TextPosition? = nil) {
    self.sentence = sentence
    self.remedy = remedy
    self.position = position
  }
}

extension SchemaIssue: CustomStringConvertible {
  package var description: String {
    let place = position.map { "line \($0.line), column \($0.column): " } ?? ""
    return "\(place)\(sentence) \(remedy)"
  }
}

/// All issues of a text, an import or a deployment, which is rejected as a whole.
package struct SchemaIssues: Error, Hashable, Sendable {
  /// The issues, in the order of the text or of names, up to `SchemaLimits.reportedIssues`.
  package private(set) var issues: [SchemaIssue] = []
  /// The number of further issues.
  package private(set) var unreportedCount = 0

  package init() {}

  package init(_ issue: SchemaIssue) { issues = [issue] }

  package var isEmpty: Bool { issues.isEmpty }

  package mutating func append(_ issue: SchemaIssue) {
    if issues.count < SchemaLimits.reportedIssues {
      issues.append(issue)
    } else {
      unreportedCount += 1
    }
  }

  /// Throws if there are issues.
  package func throwIfAny() throws(SchemaIssues) {
    if !isEmpty { throw self }
  }

  /// The error that answers the request, with one line for each issue.
  package var cloudError: CloudError { CloudError(.badRequest, description) }
}

extension SchemaIssues: CustomStringConvertible {
  package var description: String {
    let rest = unreportedCount == 0 ? [] : ["And \(unreportedCount) more."]
    return (issues.map(\.description) + rest).joined(separator: "\n")
  }
}
