import Foundation

extension NSExpression {
  /// Creates an expression from a format string and the values for its placeholders.
  ///
  /// An invalid format string stops the program; `init(parsing:arguments:)` throws instead.
  public convenience init(format expressionFormat: String, _ args: any CVarArg...) {
    self.init(formatText: expressionFormat, PlaceholderArguments(values: args))
  }

  /// Creates an expression from a format string and an array of values for its placeholders.
  public convenience init(format expressionFormat: String, argumentArray arguments: [Any]) {
    self.init(formatText: expressionFormat, PlaceholderArguments(values: arguments))
  }

  /// Creates an expression from a format string and the arguments of a C function.
  public convenience init(format expressionFormat: String, arguments argList: CVaListPointer) {
    unsafe self.init(
      formatText: expressionFormat, PlaceholderArguments(list: CArgumentList(argList)))
  }

  /// Creates an expression from a format string that may be invalid, such as one that a user typed.
  ///
  /// Parhelion's addition.
  ///
  /// - Throws: ``PredicateParseError``, which gives the position and what was expected there.
  public convenience init(parsing expressionFormat: String, arguments: [Any] = []) throws {
    self.init(
      made: .checkedCast(
        try Parser.expression(expressionFormat, PlaceholderArguments(values: arguments))))
  }

  private convenience init(formatText text: String, _ arguments: PlaceholderArguments) {
    do {
      self.init(made: .checkedCast(try Parser.expression(text, arguments)))
    } catch {
      preconditionFailure("NSExpression(format:) cannot read the format string: \(error)")
    }
  }

  /// The expression as an instance of the class whose initialiser was called.
  private static func checkedCast(_ expression: NSExpression) -> Self {
    guard let instance = expression as? Self else {
      preconditionFailure(
        "This format string creates a \(type(of: expression)), not a \(Self.self).")
    }
    return instance
  }

  /// The format string of the expression.
  ///
  /// Parhelion's addition; `description` returns the same.
  public var formatText: String { FormatPrinter.text(of: self) }
}
