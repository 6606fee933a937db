/// The error of a model whose source cannot be used, with all issues.
package struct ModelSourceError: Error, Sendable {
  /// The kind of issue.
  package struct Code: RawRepresentable, Hashable, Sendable {
    package let rawValue: String

    package init(rawValue: String) {
      self.rawValue = rawValue
    }
  }

  /// The code of the first error.
  package let code: Code
  /// All errors and warnings, in the order of the files.
  package let issues: [ModelSourceIssue]

  package init(code: Code, issues: [ModelSourceIssue]) {
    self.code = code
    self.issues = issues
  }

  /// The errors without the warnings.
  package var errors: [ModelSourceIssue] { issues.filter { $0.severity == .error } }

  /// All errors, one per line.
  package var message: String { errors.map(\.description).joined(separator: "\n") }
}

extension ModelSourceError: CustomStringConvertible {
  package var description: String { message }
}

extension ModelSourceError.Code {
  /// The file or folder does not exist, or cannot be read.
  package static let unreadable = Self(rawValue: "unreadable")
  /// The file or folder is not a data model.
  package static let notAModel = Self(rawValue: "notAModel")
  /// The model was saved before Xcode 4, in a binary form.
  package static let binarySource = Self(rawValue: "binarySource")
  /// The bundle does not say which version is current.
  package static let currentVersion = Self(rawValue: "currentVersion")
  /// The file is not well-formed XML, or hostile.
  package static let syntax = Self(rawValue: "syntax")
  /// An element is not allowed at its position.
  package static let unknownElement = Self(rawValue: "unknownElement")
  /// An XML attribute is unknown.
  package static let unknownAttribute = Self(rawValue: "unknownAttribute")
  /// A required XML attribute is missing or empty.
  package static let missingValue = Self(rawValue: "missingValue")
  /// The value of an XML attribute is not allowed.
  package static let badValue = Self(rawValue: "badValue")
  /// A name is invalid.
  package static let badName = Self(rawValue: "badName")
  /// Two items that must have different names have the same name.
  package static let duplicateName = Self(rawValue: "duplicateName")
  /// A reference to an entity, a property or a composite that does not exist.
  package static let unresolved = Self(rawValue: "unresolved")
  /// A cycle of parent entities, or of composites.
  package static let cycle = Self(rawValue: "cycle")
  /// Two parts of the model contradict each other.
  package static let contradiction = Self(rawValue: "contradiction")
  /// A predicate or an expression cannot be parsed.
  package static let badPredicate = Self(rawValue: "badPredicate")
  /// A relationship has no inverse.
  package static let missingInverse = Self(rawValue: "missingInverse")
  /// The model exceeds the reader's limits.
  package static let tooLarge = Self(rawValue: "tooLarge")
}
