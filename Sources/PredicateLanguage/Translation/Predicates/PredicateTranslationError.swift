/// The error of a Swift predicate, expression or sort descriptor without a Core Data form.
///
/// Parhelion's addition.
public struct PredicateTranslationError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The kinds of errors.
  public struct Code: RawRepresentable, Hashable, Sendable {
    /// The stable name of the kind.
    public let rawValue: String

    /// Creates a code with a name.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// An operation has no counterpart in Core Data.
    public static let unsupportedOperation = Code(rawValue: "unsupportedOperation")
    /// A key path reads something that has no name in the model.
    public static let namelessKeyPath = Code(rawValue: "namelessKeyPath")
    /// A variable is used outside its scope, and has no value there.
    public static let unknownVariable = Code(rawValue: "unknownVariable")
  }

  /// The kind of the error.
  public let code: Code
  /// A message with the error and a remedy.
  public let message: String
  /// The operation: the name of its type in `PredicateExpressions`, such as
  /// `CollectionRangeSubscript`, or `SortDescriptor`.
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
  /// The error for an operation that cannot be translated.
  static func unsupported(_ type: Any.Type, _ reason: String) -> PredicateTranslationError {
    let node = name(of: type)
    return PredicateTranslationError(
      .unsupportedOperation, node: node,
      "\(node) has no Core Data form: \(reason) Write the condition another way, or filter in memory."
    )
  }

  /// The error for a key path that cannot be translated.
  static func nameless(_ error: KeyPathNameError) -> PredicateTranslationError {
    PredicateTranslationError(.namelessKeyPath, node: "KeyPath", error.message)
  }

  /// The error for a variable without a value.
  static let unknownVariable = PredicateTranslationError(
    .unknownVariable, node: "Variable",
    "The predicate uses a variable of another predicate. Each closure may use its own parameters only."
  )

  /// The type's own name, without the enclosing types and generic arguments.
  private static func name(of type: Any.Type) -> String {
    String(String(describing: type).prefix { $0 != "<" })
  }
}
