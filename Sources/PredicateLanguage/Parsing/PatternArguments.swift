/// The arguments of a format string on their way into a pattern.
struct PatternArguments {
  /// Reading the format has to tell what becomes of an argument.
  struct Misfit: Error {}

  private let values: [Any?]
  private let placeholders: [Placeholder]

  init(_ values: [Any?], _ placeholders: [Placeholder]) {
    self.values = values
    self.placeholders = placeholders
  }

  /// An argument as an expression.
  func expression(_ number: Int) throws(Misfit) -> NSExpression {
    guard let value = try? PlaceholderArguments.value(values, number, for: placeholders[number]) else { throw Misfit() }
    if type(of: value) is AnyClass, value is NSExpression { throw Misfit() }
    return NSExpression(.constant(value))
  }

  /// An expression with the arguments in the places of variables within it.
  func filling(_ places: [NSExpression], of expression: NSExpression) throws(Misfit) -> NSExpression {
    var arguments: [NSExpression] = []
    for number in placeholders.indices { arguments.append(try self.expression(number)) }
    let filled = try? expression.replacingExpressions { part throws(PredicateEvaluationError) in
      places.firstIndex { $0 === part }.map { arguments[$0] }
    }
    guard let filled else { throw Misfit() }
    return filled
  }
}
