import Foundation

/// A call of a method of a value: `FUNCTION(operand, "selector:", argument)`, or a key path of a
/// value, such as `$x.name`.
struct MethodCall {
  let name: String
  let arguments: [NSExpression]

  func value(of target: Any?, with inputs: EvaluationInputs)
    throws(PredicateEvaluationError) -> Any?
  {
    if name == KeyPathFunction.name, arguments.count == 1 {
      return try KeyValueReader.value(of: target, at: try path(with: inputs))
    }
    guard let target = target.flatMap(unwrapped) else { return nil }
    let values = try arguments.values(with: inputs)
    if let performer = target as? any SelectorPerforming {
      return try perform(on: performer, values)
    }
    if name == "valueForKey:", let key = values.first.flatMap({ $0.flatMap(asString) }) {
      return try KeyValueReader.value(of: target, forKey: key)
    }
    if values.isEmpty { return try KeyValueReader.value(of: target, forKey: name) }
    throw PredicateEvaluationError(
      .badFunctionCall,
      "A value of type \(type(of: target)) has no method “\(name)” that an expression can call. "
        + "Make the type adopt SelectorPerforming.")
  }

  private func path(with inputs: EvaluationInputs) throws(PredicateEvaluationError) -> ArraySlice<
    String
  > {
    if case .keyPath(let path) = arguments[0].node {
      try arguments[0].requirePermission()
      return path.components[...]
    }
    guard let text = try arguments[0].value(with: inputs).flatMap(asString) else {
      throw PredicateEvaluationError(.badFunctionCall, "“\(name)” needs a key path as a string.")
    }
    return PropertyPath(text).components[...]
  }

  private func perform(
    on performer: any SelectorPerforming, _ values: [Any?]
  ) throws(PredicateEvaluationError) -> Any? {
    do {
      return try performer.perform(selectorNamed: name, with: values).flatMap(unwrapped)
    } catch {
      throw PredicateEvaluationError(
        .badFunctionCall, "“\(name)” of a value of type \(type(of: performer)) failed: \(error)")
    }
  }
}
