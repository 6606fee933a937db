/// Why a ``TextPattern`` could not be made.
package struct TextPatternError: Error, Hashable, Sendable, CustomStringConvertible {
  /// What kind of mistake it was.
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

  /// What was wrong, where, and what to do about it.
  package let message: String

  /// The pattern as it was given.
  package let pattern: String

  /// How many Unicode scalars of the pattern are in order.
  ///
  /// The mistake follows them. `nil` where the place is not known.
  package let position: Int?

  package init(code: Code, message: String, pattern: String, position: Int? = nil) {
    self.code = code
    self.message = message
    self.pattern = pattern
    self.position = position
  }

  package var description: String { message }
}
