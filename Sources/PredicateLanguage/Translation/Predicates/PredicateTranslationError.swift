/// Why a Swift predicate, expression or sort descriptor has no Core Data form.
///
/// Parhelion's addition.
public struct PredicateTranslationError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The kinds of reasons.
  public struct Code: RawRepresentable, Hashable, Sendable {
    /// The stable name of the kind.
    public let rawValue: String

    /// A kind with this name.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// An operation has no counterpart.
    public static let unsupportedOperation = Code(rawValue: "unsupportedOperation")
    /// A key path reads something that has no name in the model.
    public static let namelessKeyPath = Code(rawValue: "namelessKeyPath")
    /// A variable stands where it has no value.
    public static let unknownVariable = Code(rawValue: "unknownVariable")
  }

  /// What kind of reason it is.
  public let code: Code
  /// What is wrong, and what to do about it.
  public let message: String
  /// The operation, as the type in `PredicateExpressions` is called, such as
  /// `CollectionRangeSubscript`.
  public let node: String

  init(_ code: Code, node: String, _ message: String) {
    self.code = code
    self.message = message
    self.node = node
  }

  /// The message.
  public var description: String { message }
}

extension PredicateTranslationError {
  /// An operation that cannot be translated.
  static func unsupported(_ type: Any.Type, _ reason: String) -> PredicateTranslationError {
    let node = name(of: type)
    return PredicateTranslationError(
      .unsupportedOperation, node: node,
      "\(node) has no Core Data form: \(reason) Write the condition another way, or filter in memory."
    )
  }

  /// A key path that cannot be translated.
  static func nameless(_ error: KeyPathNameError) -> PredicateTranslationError {
    PredicateTranslationError(.namelessKeyPath, node: "KeyPath", error.message)
  }

  /// A variable without a value.
  static let unknownVariable = PredicateTranslationError(
    .unknownVariable, node: "Variable",
    "The predicate uses a variable of another predicate. Each closure may use its own parameters only."
  )

  /// The type's own name, without what surrounds it and its arguments.
  private static func name(of type: Any.Type) -> String {
    String(String(describing: type).prefix { $0 != "<" })
  }
}
