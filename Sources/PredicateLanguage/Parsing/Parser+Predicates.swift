import Foundation

extension Parser {
  /// `or := and (("OR" | "||") and)*`.
  mutating func readPart() throws(PredicateParseError) -> Part {
    try enter()
    defer { leave() }
    let first = try readConjunction()
    guard isAt(.or) || keyword == .or else { return first }
    var parts = [first]
    while isAt(.or) || keyword == .or {
      try require(parts)
      advance()
      parts.append(try readConjunction())
    }
    return try join(.or, parts)
  }

  /// `and := not (("AND" | "&&") not)*`.
  private mutating func readConjunction() throws(PredicateParseError) -> Part {
    let first = try readNegation()
    guard isAt(.and) || keyword == .and else { return first }
    var parts = [first]
    while isAt(.and) || keyword == .and {
      try require(parts)
      advance()
      parts.append(try readNegation())
    }
    return try join(.and, parts)
  }

  /// Throws if the last part is an expression, which lacks a comparison operator before AND or OR.
  private func require(_ parts: [Part]) throws(PredicateParseError) {
    if let last = parts.last { _ = try predicate(last) }
  }

  private func join(
    _ type: NSCompoundPredicate.LogicalType, _ parts: [Part]
  ) throws(PredicateParseError) -> Part {
    let predicates = try parts.map { part throws(PredicateParseError) in try predicate(part) }
    let height = try height(over: parts.lazy.map(\.height).max() ?? 0)
    return .predicate(
      CompoundPredicate(type: type, subpredicates: predicates), height: height,
      offset: parts[0].offset)
  }

  /// `not := ("NOT" | "!") not | comparison`.
  private mutating func readNegation() throws(PredicateParseError) -> Part {
    let offset = current.range.lowerBound
    var count = 0
    while isAt(.not) || keyword == .not {
      advance()
      count += 1
    }
    let operand = try readComparison()
    return count == 0 ? operand : try negate(operand, count, offset)
  }

  private func negate(_ operand: Part, _ count: Int, _ offset: Int) throws(PredicateParseError)
    -> Part
  {
    guard count <= Limits.nesting else { throw tooDeep }
    var negation = try predicate(operand)
    for _ in 0..<count { negation = CompoundPredicate(notPredicateWithSubpredicate: negation) }
    return .predicate(
      negation, height: try height(over: operand.height + count - 1), offset: offset)
  }

  /// `comparison := [ANY | SOME | ALL | NONE] expression operator [options] expression`, or a part
  /// without an operator.
  private mutating func readComparison() throws(PredicateParseError) -> Part {
    let offset = current.range.lowerBound
    let quantifier = takeQuantifier()
    let left = try readOperation()
    if quantifier == nil {
      if case .predicate = left.content { return left }
      guard isAtComparison else { return left }
    }
    _ = try expression(left)
    let comparison = try readOperator()
    return try compare(left, comparison, try readOperation(), quantifier, offset)
  }

  private func compare(
    _ left: Part, _ comparison: NSComparisonPredicate.Comparison, _ right: Part,
    _ quantifier: Quantifier?,
    _ offset: Int
  ) throws(PredicateParseError) -> Part {
    let predicate = NSComparisonPredicate(
      left: try expression(left), right: try expression(right),
      modifier: quantifier?.modifier ?? .direct,
      kind: comparison)
    let part = Part.predicate(
      predicate, height: try height(over: left.height, right.height), offset: offset)
    return quantifier == Quantifier.none ? try negate(part, 1, offset) : part
  }
}

// MARK: - Quantifiers

extension Parser {
  private enum Quantifier {
    case any, all
    /// The form that prints and evaluates as `NOT ANY`.
    case none

    var modifier: NSComparisonPredicate.Modifier { self == .all ? .all : .any }
  }

  private mutating func takeQuantifier() -> Quantifier? {
    let quantifier: Quantifier
    switch keyword {
    case .any, .someElement: quantifier = .any
    case .all: quantifier = .all
    case .noElement: quantifier = .none
    default: return nil
    }
    advance()
    return quantifier
  }
}

// MARK: - Operators

extension Parser {
  private var isAtComparison: Bool { comparisonAtPosition != nil }

  private var comparisonAtPosition: NSComparisonPredicate.Comparison? {
    if case .sign(let sign) = current.kind { return sign.comparison }
    switch keyword {
    case .in: return .init(.in)
    case .like: return .init(.like)
    case .matches: return .init(.matches)
    case .contains: return .init(.contains)
    case .beginsWith: return .init(.beginsWith)
    case .endsWith: return .init(.endsWith)
    case .between: return .init(.between)
    case .tokenMatches: return .tokenMatches
    default: return nil
    }
  }

  private mutating func readOperator() throws(PredicateParseError)
    -> NSComparisonPredicate.Comparison
  {
    guard var comparison = comparisonAtPosition else {
      throw unexpected("a comparison operator such as == or CONTAINS")
    }
    advance()
    if take(.openBracket) {
      comparison.options = try readOptions()
      try expect(.closeBracket, "after the options")
    }
    return comparison
  }

  private func readLetters() throws(PredicateParseError) -> String {
    guard case .word(let letters) = current.kind else {
      throw unexpected("options: letters of c, d, n and l")
    }
    return letters
  }

  private mutating func readOptions() throws(PredicateParseError) -> NSComparisonPredicate.Options {
    var options: NSComparisonPredicate.Options = []
    for letter in try readLetters() {
      switch letter {
      case "c", "C": options.insert(.caseInsensitive)
      case "d", "D": options.insert(.diacriticInsensitive)
      case "n", "N": options.insert(.normalized)
      case "l", "L": options.insert(.localeSensitive)
      default: throw unexpected("options: letters of c, d, n and l")
      }
    }
    advance()
    return options
  }
}

extension Token.Sign {
  fileprivate var comparison: NSComparisonPredicate.Comparison? {
    switch self {
    case .assign, .equal: .init(.equalTo)
    case .notEqual, .lessGreater: .init(.notEqualTo)
    case .less: .init(.lessThan)
    case .lessOrEqual, .equalOrLess: .init(.lessThanOrEqualTo)
    case .greater: .init(.greaterThan)
    case .greaterOrEqual, .equalOrGreater: .init(.greaterThanOrEqualTo)
    default: nil
    }
  }
}
