import Foundation

extension PredicateExpressions.SequenceContains: TranslatableNode {
  func translated(by translator: inout PredicateTranslator) throws -> Translated {
    let container = try translator.translate(sequence)
    let value = try translator.expression(element)
    if let range = TranslatedRange(container) { return .predicate(range.contains(value)) }
    let collection = try translator.expression(container, of: Self.self)
    if LHS.Output.self is any StringProtocol.Type {
      return .predicate(.comparing(collection, .contains, value))
    }
    return .predicate(.comparing(value, .in, collection))
  }
}

extension PredicateExpressions.SequenceContainsWhere: TranslatableNode {
  func translated(by translator: inout PredicateTranslator) throws -> Translated {
    let matches = try translator.subquery(sequence, variable) { try $0.predicate(test) }
    return .predicate(
      .comparing(matches.appending("@count"), .greaterThan, NSExpression(forConstantValue: 0)))
  }
}

extension PredicateExpressions.SequenceAllSatisfy: TranslatableNode {
  func translated(by translator: inout PredicateTranslator) throws -> Translated {
    let exceptions = try translator.subquery(sequence, variable) { try $0.predicate(test).negated }
    return .predicate(
      .comparing(exceptions.appending("@count"), .equalTo, NSExpression(forConstantValue: 0)))
  }
}

extension PredicateExpressions.Filter: TranslatableNode {
  func translated(by translator: inout PredicateTranslator) throws -> Translated {
    .expression(try translator.subquery(sequence, variable) { try $0.predicate(filter) })
  }
}

extension PredicateExpressions.CollectionIndexSubscript: TranslatableNode {
  func translated(by translator: inout PredicateTranslator) throws -> Translated {
    guard Index.Output.self == Int.self else {
      throw PredicateTranslationError.unsupported(
        Self.self, "an index of type \(Index.Output.self) is not a number.")
    }
    let arguments = [try translator.expression(wrapped), try translator.expression(index)]
    return .expression(.calling(.objectWithIndex, arguments))
  }
}

extension PredicateExpressions.CollectionRangeSubscript: TranslatableNode {
  func translated(by translator: inout PredicateTranslator) throws -> Translated {
    throw PredicateTranslationError.unsupported(
      Self.self, "a slice of a collection has no counterpart.")
  }
}

extension PredicateExpressions.DictionaryKeySubscript: TranslatableNode {
  func translated(by translator: inout PredicateTranslator) throws -> Translated {
    let arguments = [try translator.expression(wrapped), try translator.expression(key)]
    return .expression(.calling(.objectWithIndex, arguments))
  }
}

extension PredicateExpressions.DictionaryKeyDefaultValueSubscript: TranslatableNode {
  func translated(by translator: inout PredicateTranslator) throws -> Translated {
    let arguments = [try translator.expression(wrapped), try translator.expression(key)]
    let value = NSExpression.calling(.objectWithIndex, arguments)
    return .expression(
      NSExpression(
        forConditional: .isPresent(value), trueExpression: value,
        falseExpression: try translator.expression(self.default)))
  }
}

extension PredicateTranslator {
  /// The elements that pass a test; the translated test reads the element as a variable.
  fileprivate mutating func subquery<Element>(
    _ sequence: some PredicateExpression, _ variable: PredicateExpressions.Variable<Element>,
    _ test: (inout PredicateTranslator) throws -> NSPredicate
  ) throws -> NSExpression {
    let collection = try expression(sequence)
    let name = makeIterator()
    bind(variable, to: .expression(NSExpression(forVariable: name)))
    return NSExpression(
      forSubquery: collection, usingIteratorVariable: name, predicate: try test(&self))
  }
}
