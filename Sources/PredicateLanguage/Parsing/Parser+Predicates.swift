import Foundation

extension Parser {
  /// `or := and (("OR" | "||") and)*`.
  mutating func readPart() throws(PredicateParseError) -> Part {
    try nested { parser throws(PredicateParseError) in
      try parser.readCompound(.or, isAt: { $0.isAt(.or) || $0.keyword == .or }) { inner throws(PredicateParseError) in
        try inner.readConjunction()
      }
    }
  }

  /// `and := not (("AND" | "&&") not)*`.
  private mutating func readConjunction() throws(PredicateParseError) -> Part {
    try readCompound(.and, isAt: { $0.isAt(.and) || $0.keyword == .and }) { inner throws(PredicateParseError) in
      try inner.readNegation()
    }
  }

  private mutating func readCompound(
    _ type: NSCompoundPredicate.LogicalType, isAt: (Parser) -> Bool,
    _ readElement: (inout Parser) throws(PredicateParseError) -> Part
  ) throws(PredicateParseError) -> Part {
    let first = try readElement(&self)
    guard isAt(self) else { return first }
    var elements = [try predicate(first)]
    var tallest = first.height
    while isAt(self) {
      advance()
      let element = try readElement(&self)
      elements.append(try predicate(element))
      tallest = max(tallest, element.height)
    }
    let compound = CompoundPredicate(type: type, subpredicates: elements)
    return .predicate(compound, height: try height(over: tallest), offset: first.offset)
  }

  /// `not := ("NOT" | "!") not | comparison`.
  private mutating func readNegation() throws(PredicateParseError) -> Part {
    let offset = current.range.lowerBound
    guard isAt(.not) || keyword == .not else { return try readComparison() }
    advance()
    let operand = try nested { parser throws(PredicateParseError) in try parser.readNegation() }
    let negation = CompoundPredicate(notPredicateWithSubpredicate: try predicate(operand))
    return .predicate(negation, height: try height(over: operand.height), offset: offset)
  }

  /// `comparison := [ANY | SOME | ALL | NONE] expression operator [options] expression`, or a part that is not compared.
  private mutating func readComparison() throws(PredicateParseError) -> Part {
    let offset = current.range.lowerBound
    let quantifier = takeQuantifier()
    let left = try readOperation()
    if quantifier == nil {
      if case .predicate = left.content { return left }
      guard isAtComparison else { return left }
    }
    let leftExpression = try expression(left)
    let comparison = try readOperator()
    let right = try readOperation()
    let predicate = NSComparisonPredicate(
      left: leftExpression, right: try expression(right), modifier: quantifier?.modifier ?? .direct, kind: comparison)
    let height = try height(over: left.height, right.height)
    guard quantifier == Quantifier.none else { return .predicate(predicate, height: height, offset: offset) }
    return .predicate(
      CompoundPredicate(notPredicateWithSubpredicate: predicate), height: try self.height(over: height), offset: offset)
  }
}

// MARK: - Quantifiers

extension Parser {
  private enum Quantifier {
    case any, all
    /// Prints and evaluates as `NOT ANY`.
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

  private mutating func readOperator() throws(PredicateParseError) -> NSComparisonPredicate.Comparison {
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
    guard case .word(let letters) = current.kind else { throw unexpected("options: letters of c, d, n and l") }
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
