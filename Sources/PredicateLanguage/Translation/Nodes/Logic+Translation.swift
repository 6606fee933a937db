import Foundation

extension PredicateExpressions.Conjunction: TranslatableNode {
  func translated(by translator: inout PredicateTranslator) throws -> Translated {
    .predicate(.all([try translator.predicate(lhs), try translator.predicate(rhs)]))
  }
}

extension PredicateExpressions.Disjunction: TranslatableNode {
  func translated(by translator: inout PredicateTranslator) throws -> Translated {
    .predicate(.any([try translator.predicate(lhs), try translator.predicate(rhs)]))
  }
}

extension PredicateExpressions.Negation: TranslatableNode {
  func translated(by translator: inout PredicateTranslator) throws -> Translated {
    .predicate(try translator.predicate(wrapped).negated)
  }
}

extension PredicateExpressions.Conditional: TranslatableNode {
  func translated(by translator: inout PredicateTranslator) throws -> Translated {
    let condition = try translator.predicate(test)
    if case .constant(let holds) = condition.node {
      return holds ? try translator.translate(trueBranch) : try translator.translate(falseBranch)
    }
    if Output.self == Bool.self {
      let (first, second) = (
        try translator.predicate(trueBranch), try translator.predicate(falseBranch)
      )
      return .predicate(.any([.all([condition, first]), .all([condition.negated, second])]))
    }
    return .expression(
      NSExpression(
        forConditional: condition, trueExpression: try translator.expression(trueBranch),
        falseExpression: try translator.expression(falseBranch)))
  }
}
