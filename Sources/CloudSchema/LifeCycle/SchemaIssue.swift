package import CloudRecords

/// A place in a text, both parts counted from one.
package struct TextPosition: Hashable, Sendable {
  package var line: Int
  /// In characters of the text, as editors count.
  package var column: Int

  package init(line: Int, column: Int) {
    self.line = line
    self.column = column
  }
}

/// Something about a schema that is refused: what, where, and what to do.
package struct SchemaIssue: Error, Hashable, Sendable {
  /// Where it stands, for problems of a text.
  package var position: TextPosition?
  /// A sentence that names the record type and the field.
  package var sentence: String
  /// One sentence or more: what to do about it.
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

/// All that is wrong with a text, an import or a deployment, which is refused as a whole.
package struct SchemaIssues: Error, Hashable, Sendable {
  /// The problems, in the order of the text or of names; no more than `SchemaLimits.problemsTold`.
  package private(set) var problems: [SchemaIssue] = []
  /// How many more there are.
  package private(set) var untold = 0

  package init() {}

  package init(_ problem: SchemaIssue) { problems = [problem] }

  package var isEmpty: Bool { problems.isEmpty }

  package mutating func append(_ problem: SchemaIssue) {
    if problems.count < SchemaLimits.problemsTold { problems.append(problem) } else { untold += 1 }
  }

  /// Refuses if there are problems.
  package func throwIfAny() throws(SchemaIssues) {
    if !isEmpty { throw self }
  }

  /// The answer to the request that brought the problems: one line for each.
  package var cloudError: CloudError { CloudError(.badRequest, description) }
}

extension SchemaIssues: CustomStringConvertible {
  package var description: String {
    let rest = untold == 0 ? [] : ["And \(untold) more."]
    return (problems.map(\.description) + rest).joined(separator: "\n")
  }
}
