import PredicateLanguage
import SQLiteDriver
import TextMatching

extension QueryWriter {
  /// BEGINSWITH, ENDSWITH, LIKE and MATCHES.
  func search(
    _ left: Side, _ operation: ComparisonPredicate.Operator, _ right: Side,
    _ options: ComparisonPredicate.Options,
    _ context: RowContext
  ) throws(TranslationError) -> SQLText {
    if left.isNull || right.isNull { return "0" }
    if operation == .beginsWith, let range = prefixRange(left, right, options, context) {
      return range
    }
    return try search(for: right, in: left, operation.text, options)
  }

  /// The texts that begin with a constant, as a range that an index can serve.
  ///
  /// Under a NOT, the range would exclude rows without a text, which the search includes.
  private func prefixRange(
    _ left: Side, _ right: Side, _ options: ComparisonPredicate.Options, _ context: RowContext
  ) -> SQLText? {
    guard !options.foldsText, !context.isNegated, case .value(let value) = left, value.isColumn,
      value.kind.isText,
      case .constant(let constant) = right, constant.kind == .text
    else { return nil }
    let bounds = [BindingEncoding.prefixStart, .prefixEnd].map {
      SQLText(.constant(constant.index, $0))
    }
    return "(\(value.text) >= \(bounds[0]) AND \(value.text) < \(bounds[1]))"
  }

  /// A search for a text in another.
  func search(
    for pattern: Side, in text: Side, _ operation: TextOperator,
    _ options: ComparisonPredicate.Options
  ) throws(TranslationError) -> SQLText {
    let form: BindingEncoding = operation == .matches ? .pattern(options.text) : .text
    let text = try value(text, as: .text)
    let pattern = try value(pattern, as: form)
    guard text.kind.isText, pattern.kind.isText else {
      throw .unsupported(
        "Can't do a substring operation with something that isn't a string",
        "Compare texts; a whole number becomes one by CAST(x, \"NSString\").")
    }
    let search = StringSearch(operation, options: options.text)
    return
      "NSCoreDataStringSearch(\(text.text), \(pattern.text), \(search.optionBits), \(search.use))"
  }
}

extension ComparisonPredicate.Operator {
  /// The corresponding text operator.
  fileprivate var text: TextOperator {
    switch self {
    case .beginsWith: .beginsWith
    case .endsWith: .endsWith
    case .like: .like
    case .matches: .matches
    default: .contains
    }
  }
}
