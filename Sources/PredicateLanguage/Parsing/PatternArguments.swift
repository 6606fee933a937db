/// The arguments of a format string, which replace the markers of a pattern.
///
/// A method returns nil if an argument is invalid or an expression. Then the format string must be
/// parsed with its arguments.
struct PatternArguments {
  private let values: FormatArguments
  private let placeholders: [Placeholder]
  /// The variables that mark the arguments.
  private let markers: [NSExpression]

  init(_ values: FormatArguments, _ placeholders: [Placeholder], markers: [NSExpression]) {
    self.values = values
    self.placeholders = placeholders
    self.markers = markers
  }

  /// The argument with a number, as a constant expression.
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

  /// The expression with the arguments filled in.
  func filling(_ expression: NSExpression) -> NSExpression? {
    let arguments = placeholders.indices.compactMap(self.expression)
    guard arguments.count == placeholders.count else { return nil }
    return try? expression.replacingExpressions { [markers] part throws(PredicateEvaluationError) in
      markers.firstIndex { $0 === part }.map { arguments[$0] }
    }
  }
}
