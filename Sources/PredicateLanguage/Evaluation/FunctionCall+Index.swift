import Foundation

/// `collection[index]`
extension FunctionCall {
  func element(with inputs: EvaluationInputs) throws(PredicateEvaluationError) -> Any? {
    guard let collection = try arguments[0].value(with: inputs) else { return nil }
    if case .function(nil, let name, _) = arguments[1].node,
      let symbol = SymbolicIndex(rawValue: name)
    {
      return try element(symbol, of: collection)
    }
    guard let index = try arguments[1].value(with: inputs) else { return nil }
    if let elements = Elements(collection), !elements.isSet, let number = Number(index) {
      return try element(number, of: elements.values)
    }
    if let key = asString(index) { return try KeyValueReader.value(of: collection, forKey: key) }
    throw callError(
      "A value of type \(type(of: collection)) has no element at an index of type \(type(of: index))."
    )
  }

  private func element(_ symbol: SymbolicIndex, of collection: Any) throws(PredicateEvaluationError)
    -> Any?
  {
    guard let elements = Elements(collection) else {
      throw PredicateEvaluationError(
        .notACollection,
        "A value of type \(type(of: collection)) has no [\(symbol.rawValue.uppercased())].")
    }
    if symbol == .size { return elements.values.count }
    guard !elements.isSet else {
      throw callError("A set has no \(symbol.rawValue) element; only arrays and ordered sets do.")
    }
    return (symbol == .first ? elements.values.first : elements.values.last) ?? nil
  }

  private func element(_ number: Number, of values: [Any?]) throws(PredicateEvaluationError) -> Any?
  {
    guard let index = number.integer, values.indices.contains(index) else {
      throw PredicateEvaluationError(
        .indexOutOfRange,
        "The index \(number.boxed) is outside a collection of \(values.count) elements.")
    }
    return values[index]
  }
}
