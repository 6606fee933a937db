/// The error of a ``TextPattern`` that cannot be created.
package struct TextPatternError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The kind of error.
  package struct Code: RawRepresentable, Hashable, Sendable {
    package let rawValue: String

    package init(rawValue: String) {
      self.rawValue = rawValue
    }

    /// The pattern of `MATCHES` is not a regular expression.
    package static let invalidRegularExpression = Code(rawValue: "invalidRegularExpression")

    /// The pattern is longer than ``Limits/patternBytes``.
    package static let patternTooLong = Code(rawValue: "patternTooLong")
  }

  package let code: Code

  /// A message with the error, its place, and a remedy.
  package let message: String

  /// The pattern.
  package let pattern: String

  /// The number of Unicode scalars of the pattern before the error; `nil` if the position is not
  /// known.
  package let position: Int?

  package init(code: Code, message: String, pattern: String, position: Int? = nil) {
    self.code = code
    self.message = message
    self.pattern = pattern
    self.position = position
  }

  package var description: String { message }
}
