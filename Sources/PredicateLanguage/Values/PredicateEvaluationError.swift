/// The error of a predicate or an expression that cannot be evaluated for an object.
///
/// Parhelion's addition.
///
/// On Apple's platforms these are exceptions. `evaluate(with:)` stops the program with the message;
/// `evaluated(with:substitutionVariables:)` throws the error.
public struct PredicateEvaluationError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The kinds of evaluation errors.
  public struct Code: RawRepresentable, Hashable, Sendable {
    /// The stable name of the kind.
    public let rawValue: String

    /// Creates a code with a name.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// The object has no property of this name.
    public static let unknownKey = Code(rawValue: "unknownKey")
    /// A variable has no value.
    public static let missingVariable = Code(rawValue: "missingVariable")
    /// The two sides cannot be compared with this operator.
    public static let incomparable = Code(rawValue: "incomparable")
    /// A value is not a collection, but the operation needs one.
    public static let notACollection = Code(rawValue: "notACollection")
    /// The function does not take such an argument, or is not available.
    public static let badFunctionCall = Code(rawValue: "badFunctionCall")
    /// An index lies outside its collection.
    public static let indexOutOfRange = Code(rawValue: "indexOutOfRange")
    /// The pattern of `MATCHES` is not a regular expression, or is too long.
    public static let badPattern = Code(rawValue: "badPattern")
    /// The predicate or expression was decoded, and `allowEvaluation()` was not called.
    public static let notAllowed = Code(rawValue: "notAllowed")
    /// A key path is too long.
    public static let limitExceeded = Code(rawValue: "limitExceeded")
  }

  /// The kind of the error.
  public let code: Code
  /// A message with the error, its place, and a remedy.
  public let message: String

  package init(_ code: Code, _ message: String) {
    self.code = code
    self.message = message
  }

  /// The message.
  public var description: String { message }
}

extension PredicateEvaluationError {
  static func unknownKey(_ key: String, of object: Any) -> PredicateEvaluationError {
    PredicateEvaluationError(
      .unknownKey,
      "\(type(of: object)) has no value for the key “\(key)”. Check the spelling of the key path.")
  }

  static func pathTooLong(_ path: ArraySlice<String>) -> PredicateEvaluationError {
    PredicateEvaluationError(
      .limitExceeded,
      "A key path of \(path.count) keys is too long; at most \(Limits.pathComponents) are supported."
    )
  }

  static func missingVariable(_ name: String) -> PredicateEvaluationError {
    PredicateEvaluationError(
      .missingVariable,
      "The variable $\(name) has no value. Give it one with withSubstitutionVariables(_:) or "
        + "evaluate(with:substitutionVariables:).")
  }

  static func incomparable(_ left: Any?, _ operation: String, _ right: Any?)
    -> PredicateEvaluationError
  {
    PredicateEvaluationError(
      .incomparable,
      "\(operation) cannot compare \(kind(left)) with \(kind(right)). Both sides must have the same kind."
    )
  }

  /// A phrase with the type of a value, for messages.
  static func kind(_ value: Any?) -> String {
    value.map { "a value of type \(type(of: $0))" } ?? "nil"
  }
}
