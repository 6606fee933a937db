import Foundation

extension PredicateExpressions.StringLocalizedStandardContains: TranslatableNode {
  func translated(by translator: inout PredicateTranslator) throws -> Translated {
    let (text, wanted) = (try translator.expression(root), try translator.expression(other))
    return .predicate(
      .comparing(
        text, .contains, wanted, [.caseInsensitive, .diacriticInsensitive, .localeSensitive]))
  }
}

extension PredicateExpressions.StringCaseInsensitiveCompare: TranslatableNode {
  func translated(by translator: inout PredicateTranslator) throws -> Translated {
    .order(try translator.expression(root), try translator.expression(other), .caseInsensitive)
  }
}

extension PredicateExpressions.StringLocalizedCompare: TranslatableNode {
  func translated(by translator: inout PredicateTranslator) throws -> Translated {
    .order(try translator.expression(root), try translator.expression(other), .localeSensitive)
  }
}
