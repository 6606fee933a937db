import Foundation

extension PredicateExpressions.CollectionContainsCollection: TranslatableNode {
  func translated(by translator: inout PredicateTranslator) throws -> Translated {
    guard Base.Output.self is any StringProtocol.Type else {
      throw PredicateTranslationError.unsupported(
        Self.self, "only texts can be searched for a sequence of elements.")
    }
    return .predicate(try translator.search(base, .contains, other))
  }
}

extension PredicateExpressions.SequenceStartsWith: TranslatableNode {
  func translated(by translator: inout PredicateTranslator) throws -> Translated {
    guard Base.Output.self is any StringProtocol.Type else {
      throw PredicateTranslationError.unsupported(
        Self.self, "only texts can be tested for a prefix.")
    }
    return .predicate(try translator.search(base, .beginsWith, prefix))
  }
}

extension PredicateExpressions.StringContainsRegex: TranslatableNode {
  func translated(by translator: inout PredicateTranslator) throws -> Translated {
    guard
      case .constant(let regex as PredicateExpressions.PredicateRegex) = try translator.translate(
        self.regex)
    else {
      throw PredicateTranslationError.unsupported(
        Self.self, "the regular expression has to be a constant.")
    }
    let pattern = "(?s:.*)(?:\(regex.stringRepresentation))(?s:.*)"
    return .predicate(
      .comparing(
        try translator.expression(subject), .matches, NSExpression(forConstantValue: pattern)))
  }
}

extension PredicateTranslator {
  /// Translates a search for a text in another, or at its start.
  ///
  /// In Swift every text contains the empty text, in a predicate none does. So a constant empty
  /// text is evaluated here.
  mutating func search(
    _ text: some PredicateExpression, _ operation: NSComparisonPredicate.Operator,
    _ wanted: some PredicateExpression
  ) throws -> NSPredicate {
    let pattern = try expression(wanted)
    if case .constant(let constant as any StringProtocol) = pattern.node, constant.isEmpty {
      return NSPredicate(value: true)
    }
    return .comparing(try expression(text), operation, pattern)
  }
}
