/// The arguments of a format string on their way into a pattern.
///
/// Nil stands for an argument of which reading the format has to tell what becomes of it.
struct PatternArguments {
  private let values: FormatArguments
  private let placeholders: [Placeholder]
  /// The variables in the places of the arguments.
  private let places: [NSExpression]

  init(_ values: FormatArguments, _ placeholders: [Placeholder], places: [NSExpression]) {
    self.values = values
    self.placeholders = placeholders
    self.places = places
  }

  /// An argument as an expression.
  func expression(_ number: Int) -> NSExpression? {
    guard
      case .success(let value) = PlaceholderArguments.value(
        values, number, for: placeholders[number])
    else {
      return nil
    }
    if let value, type(of: value) is AnyClass, value is NSExpression { return nil }
    return NSExpression(.constant(value))
  }

  /// An expression with the arguments in their places within it.
  func filling(_ expression: NSExpression) -> NSExpression? {
    let arguments = placeholders.indices.compactMap(self.expression)
    guard arguments.count == placeholders.count else { return nil }
    return try? expression.replacingExpressions { [places] part throws(PredicateEvaluationError) in
      places.firstIndex { $0 === part }.map { arguments[$0] }
    }
  }
}
