import Foundation

// A store cannot test the type of a value, so only casts that always succeed are translated.

extension PredicateExpressions.ConditionalCast: TranslatableNode {
  func translated(by translator: inout PredicateTranslator) throws -> Translated {
    try translator.certainCast(input, to: Desired.self, Self.self)
  }
}

extension PredicateExpressions.ForceCast: TranslatableNode {
  func translated(by translator: inout PredicateTranslator) throws -> Translated {
    try translator.certainCast(input, to: Desired.self, Self.self)
  }
}

extension PredicateExpressions.TypeCheck: TranslatableNode {
  func translated(by translator: inout PredicateTranslator) throws -> Translated {
    _ = try translator.certainCast(input, to: Desired.self, Self.self)
    return .predicate(NSPredicate(value: true))
  }
}

extension PredicateTranslator {
  fileprivate mutating func certainCast<Input: PredicateExpression, Desired>(
    _ input: Input, to type: Desired.Type, _ node: Any.Type
  ) throws -> Translated {
    guard Input.Output.self is Desired.Type || type == Any.self || type == AnyObject.self else {
      throw PredicateTranslationError.unsupported(
        node,
        "whether a value of type \(Input.Output.self) is also of type \(type) is not known to a store."
      )
    }
    return try translate(input)
  }
}
