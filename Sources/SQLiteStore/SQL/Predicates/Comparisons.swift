import PredicateLanguage
import SQLiteDriver
import TextMatching

extension QueryWriter {
  /// A comparison of two sides.
  func text(
    _ left: Side, _ operation: ComparisonPredicate.Operator, _ right: Side,
    _ options: ComparisonPredicate.Options,
    _ context: RowContext
  ) throws(TranslationError) -> SQLText {
    switch operation {
    case .in: return try containment(of: left, in: right, options, context)
    case .contains: return try containment(of: right, in: left, options, context)
    case .between: return try betweenness(of: left, right, options, context)
    case .equalTo, .notEqualTo:
      if left.isNull || right.isNull {
        return try nullTest(left.isNull ? right : left, isNull: operation == .equalTo)
      }
      return try equality(left, right, isEqual: operation == .equalTo, options)
    case .lessThan: return try order(left, "<", right, options)
    case .lessThanOrEqualTo: return try order(left, "<=", right, options)
    case .greaterThan: return try order(left, ">", right, options)
    case .greaterThanOrEqualTo: return try order(left, ">=", right, options)
    case .beginsWith, .endsWith, .like, .matches:
      return try search(left, operation, right, options, context)
    case .customSelector:
      throw .unsupported("a comparison by a method", "Use the operators of the predicate language.")
    }
  }

  private func nullTest(_ side: Side, isNull: Bool) throws(TranslationError) -> SQLText {
    "\(try value(side).text) \(isNull ? "IS NULL" : "IS NOT NULL")"
  }

  private func equality(
    _ left: Side, _ right: Side, isEqual: Bool, _ options: ComparisonPredicate.Options
  ) throws(TranslationError) -> SQLText {
    let (left, right) = try pair(left, right)
    guard options.foldsText, left.kind.isText, right.kind.isText else {
      return "\(left.text) \(isEqual ? "=" : "<>") \(right.text)"
    }
    let search = StringSearch(.equal, options: options.text)
    let fits: SQLText =
      "NSCoreDataStringSearch(\(left.text), \(right.text), \(search.optionBits), \(search.use))"
    return isEqual ? fits : "(\(left.text) IS NOT NULL AND NOT \(fits))"
  }

  /// `<`, `<=`, `>`, and `>=`.
  ///
  /// Texts are compared by their bytes unless an option says otherwise.
  func order(
    _ left: Side, _ sign: String, _ right: Side, _ options: ComparisonPredicate.Options
  ) throws(TranslationError) -> SQLText {
    if left.isNull || right.isNull { return "0" }
    let (left, right) = try pair(left, right)
    guard left.kind.isOrdered, right.kind.isOrdered else {
      throw .unsupported(
        "an order of values that have none", "Only numbers, dates, texts, URLs, UUIDs and data do.")
    }
    guard options.ordersText, left.kind.isText, right.kind.isText else {
      return "\(left.text) \(sign) \(right.text)"
    }
    return "ParhelionTextOrder(\(left.text), \(right.text), \(options.rawValue)) \(sign) 0"
  }

  /// Two sides as values; a constant takes the encoding of the other side.
  private func pair(_ left: Side, _ right: Side) throws(TranslationError) -> (SQLValue, SQLValue) {
    let one = try value(left, as: right.kind?.storageForm ?? .own)
    let other = try value(right, as: left.kind?.storageForm ?? .own)
    switch (one.kind, other.kind) {
    case (.key(_, let root), .key(_, let otherRoot)) where root != otherRoot:
      throw .unsupported(
        "objects of different entities", "Compare objects whose entities have the same root.")
    case (.data(isTagged: true), .data(isTagged: true)) where left.kind != nil && right.kind != nil,
      (.encoded(isTagged: true), .encoded(isTagged: true))
    where left.kind != nil && right.kind != nil:
      throw .unsupported(
        "values that may be kept in files", "Compare attributes that keep digests of the values.")
    default: return (one, other)
    }
  }

  /// BETWEEN, with a collection of both bounds.
  private func betweenness(
    of side: Side, _ bounds: Side, _ options: ComparisonPredicate.Options, _ context: RowContext
  ) throws(TranslationError) -> SQLText {
    if side.isNull || bounds.isNull { return "0" }
    switch bounds {
    case .range(let lower, let upper, let includesUpper):
      return try containment(
        of: side, .constant(lower), .constant(upper), includesUpper: includesUpper, options)
    case .list(let operands) where operands.count == 2:
      let (lower, upper) = (
        try self.side(operands[0], context), try self.side(operands[1], context)
      )
      return try containment(of: side, lower, upper, includesUpper: true, options)
    case .constant(let constant):
      guard case .list(let shape) = constant.kind, shape.form == .parameters(2) else {
        throw .badBounds
      }
      let kind = try value(side).kind
      let bounds = [0, 1].map { SQLText(.element(of: constant.index, at: $0, kind.storageForm)) }
        .map { Side.value(SQLValue(text: $0, kind: kind)) }
      return try containment(of: side, bounds[0], bounds[1], includesUpper: true, options)
    default: throw .badBounds
    }
  }

  /// Whether a value lies between two others.
  func containment(
    of side: Side, _ lower: Side, _ upper: Side, includesUpper: Bool,
    _ options: ComparisonPredicate.Options
  ) throws(TranslationError) -> SQLText {
    if lower.isNull || upper.isNull { return "0" }
    let value = try value(side)
    guard includesUpper, !(options.ordersText && value.kind.isText) else {
      let (above, below) = (
        try order(side, ">=", lower, options),
        try order(side, includesUpper ? "<=" : "<", upper, options)
      )
      return "(\(above) AND \(below))"
    }
    guard value.kind.isOrdered else { throw .badBounds }
    let (_, first) = try pair(side, lower)
    let (_, last) = try pair(side, upper)
    return "\(value.text) BETWEEN \(first.text) AND \(last.text)"
  }
}

extension TranslationError {
  static let badBounds = TranslationError.unsupported(
    "BETWEEN without two bounds of an ordered kind",
    "Give a collection of two values: x BETWEEN {1, 5}.")
}

extension ComparisonPredicate.Options {
  /// The equivalent options of text searches.
  var text: TextOptions { TextOptions(rawValue: rawValue) }

  /// Whether texts are folded before they are compared.
  var foldsText: Bool {
    !contains(.normalized) && !isDisjoint(with: [.caseInsensitive, .diacriticInsensitive])
  }

  /// Whether the order of texts is not that of their bytes.
  var ordersText: Bool { foldsText || contains(.localeSensitive) }
}
