/// The reason why the source of a model cannot be used, with everything that was found wrong.
package struct ModelSourceError: Error, Sendable {
  /// What kind of thing is wrong.
  package struct Code: RawRepresentable, Hashable, Sendable {
    package let rawValue: String

    package init(rawValue: String) {
      self.rawValue = rawValue
    }
  }

  /// The code of the first error.
  package let code: Code
  /// Everything that was found, errors and warnings, in the order of the files.
  package let issues: [ModelSourceIssue]

  package init(code: Code, issues: [ModelSourceIssue]) {
    self.code = code
    self.issues = issues
  }

  /// The errors without the warnings.
  package var errors: [ModelSourceIssue] { issues.filter { $0.severity == .error } }

  /// All errors, one in a line.
  package var message: String { errors.map(\.description).joined(separator: "\n") }
}

extension ModelSourceError: CustomStringConvertible {
  package var description: String { message }
}

extension ModelSourceError.Code {
  /// The file or folder is not there, or cannot be read.
  package static let unreadable = Self(rawValue: "unreadable")
  /// The file or folder is not a data model.
  package static let notAModel = Self(rawValue: "notAModel")
  /// The model was saved before Xcode 4, in a binary form.
  package static let binarySource = Self(rawValue: "binarySource")
  /// The bundle does not tell which version is current.
  package static let currentVersion = Self(rawValue: "currentVersion")
  /// The file is not well-formed XML, or hostile.
  package static let syntax = Self(rawValue: "syntax")
  /// An element stands where it has no meaning.
  package static let unknownElement = Self(rawValue: "unknownElement")
  /// An XML attribute has no meaning.
  package static let unknownAttribute = Self(rawValue: "unknownAttribute")
  /// A required XML attribute is missing or empty.
  package static let missingValue = Self(rawValue: "missingValue")
  /// The value of an XML attribute is none of those that are allowed.
  package static let badValue = Self(rawValue: "badValue")
  /// A name is not usable.
  package static let badName = Self(rawValue: "badName")
  /// Two things that must have different names have the same.
  package static let duplicateName = Self(rawValue: "duplicateName")
  /// Something refers to an entity, a property or a composite that does not exist.
  package static let unresolved = Self(rawValue: "unresolved")
  /// Entities are each other's parents, or composites contain each other.
  package static let cycle = Self(rawValue: "cycle")
  /// Two parts of the model contradict each other.
  package static let contradiction = Self(rawValue: "contradiction")
  /// A predicate or an expression cannot be parsed.
  package static let badPredicate = Self(rawValue: "badPredicate")
  /// A relationship has no inverse.
  package static let missingInverse = Self(rawValue: "missingInverse")
  /// The model is larger than the reader's bounds.
  package static let tooLarge = Self(rawValue: "tooLarge")
}
