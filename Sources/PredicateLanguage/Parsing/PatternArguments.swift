/// The arguments of a format string on their way into a pattern.
///
/// Nil stands for an argument of which reading the format has to tell what becomes of it. Nothing here throws: a typed error
/// that leaves a `switch` loses the payload of the case in optimised builds.
struct PatternArguments {
  private let values: [Any?]
  private let placeholders: [Placeholder]

  init(_ values: [Any?], _ placeholders: [Placeholder]) {
    self.values = values
    self.placeholders = placeholders
  }

  /// An argument as an expression.
  func expression(_ number: Int) -> NSExpression? {
    guard case .success(let value) = PlaceholderArguments.value(values, number, for: placeholders[number]) else {
      return nil
    }
    if let value, type(of: value) is AnyClass, value is NSExpression { return nil }
    return NSExpression(.constant(value))
  }

  /// An expression with the arguments in the places of variables within it.
  func filling(_ places: [NSExpression], of expression: NSExpression) -> NSExpression? {
    let arguments = placeholders.indices.compactMap(self.expression)
    guard arguments.count == placeholders.count else { return nil }
    return try? expression.replacingExpressions { part throws(PredicateEvaluationError) in
      places.firstIndex { $0 === part }.map { arguments[$0] }
    }
  }
}
