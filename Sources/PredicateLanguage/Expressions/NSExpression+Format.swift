import Foundation

extension NSExpression {
  /// An expression from a format string and the values for its placeholders.
  ///
  /// A text that is not an expression stops the program; `init(parsing:arguments:)` throws instead.
  public convenience init(format expressionFormat: String, _ args: any CVarArg...) {
    self.init(formatText: expressionFormat, PlaceholderArguments(values: args))
  }

  /// An expression from a format string and an array with the objects for its placeholders.
  public convenience init(format expressionFormat: String, argumentArray arguments: [Any]) {
    self.init(formatText: expressionFormat, PlaceholderArguments(values: arguments))
  }

  /// An expression from a format string and the arguments of a C function.
  public convenience init(format expressionFormat: String, arguments argList: CVaListPointer) {
    unsafe self.init(
      formatText: expressionFormat, PlaceholderArguments(list: CArgumentList(argList)))
  }

  /// An expression from a format string that may be wrong, such as one that a user typed.
  ///
  /// Parhelion's addition.
  ///
  /// - Throws: ``PredicateParseError``, which says where the mistake is and what was expected
  ///   there.
  public convenience init(parsing expressionFormat: String, arguments: [Any] = []) throws {
    self.init(try Parser.expression(expressionFormat, PlaceholderArguments(values: arguments)).node)
  }

  private convenience init(formatText text: String, _ arguments: PlaceholderArguments) {
    do {
      self.init(try Parser.expression(text, arguments).node)
    } catch {
      preconditionFailure("NSExpression(format:) cannot read the format string: \(error)")
    }
  }

  /// The format string of the expression.
  ///
  /// Parhelion's addition; `description` gives the same.
  public var formatText: String { FormatPrinter.text(of: self) }
}
