import Foundation

extension PredicateExpressions.Arithmetic: TranslatableNode {
  func translated(by translator: inout PredicateTranslator) throws -> Translated {
    let function: ExpressionFunction =
      switch op {
      case .add: .add
      case .subtract: .subtract
      case .multiply: .multiply
      @unknown default:
        throw PredicateTranslationError.unsupported(Self.self, "the operator \(op) is not known.")
      }
    return .expression(
      .calling(function, [try translator.expression(lhs), try translator.expression(rhs)]))
  }
}

extension PredicateExpressions.IntDivision: TranslatableNode {
  func translated(by translator: inout PredicateTranslator) throws -> Translated {
    .expression(
      .calling(.divide, [try translator.expression(lhs), try translator.expression(rhs)]))
  }
}

extension PredicateExpressions.FloatDivision: TranslatableNode {
  func translated(by translator: inout PredicateTranslator) throws -> Translated {
    .expression(
      .calling(.divide, [try translator.expression(lhs), try translator.expression(rhs)]))
  }
}

extension PredicateExpressions.IntRemainder: TranslatableNode {
  func translated(by translator: inout PredicateTranslator) throws -> Translated {
    .expression(
      .calling(.modulus, [try translator.expression(lhs), try translator.expression(rhs)]))
  }
}

extension PredicateExpressions.UnaryMinus: TranslatableNode {
  func translated(by translator: inout PredicateTranslator) throws -> Translated {
    .expression(
      .calling(.subtract, [NSExpression(forConstantValue: 0), try translator.expression(wrapped)]))
  }
}

extension PredicateExpressions.SequenceMaximum: TranslatableNode {
  func translated(by translator: inout PredicateTranslator) throws -> Translated {
    .expression(.calling(.max, [try translator.expression(elements)]))
  }
}

extension PredicateExpressions.SequenceMinimum: TranslatableNode {
  func translated(by translator: inout PredicateTranslator) throws -> Translated {
    .expression(.calling(.min, [try translator.expression(elements)]))
  }
}
