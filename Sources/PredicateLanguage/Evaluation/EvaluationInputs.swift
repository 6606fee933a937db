import Foundation

/// The inputs of an evaluation: the object, and the variables' values.
struct EvaluationInputs {
  let object: Any?
  var variables: [String: Any]
  /// The dictionary that the caller passed to `expressionValue(with:context:)`; block expressions
  /// receive it.
  let context: NSMutableDictionary?

  init(object: Any?, variables: [String: Any]?, context: NSMutableDictionary? = nil) {
    self.object = object.flatMap(unwrapped)
    self.variables = variables ?? [:]
    self.context = context
  }

  /// Inputs whose variables are the dictionary's entries with string keys.
  init(object: Any?, context: NSMutableDictionary?) {
    var variables: [String: Any] = [:]
    for (key, value) in context ?? [:] {
      if let name = asString(key) { variables[name] = value }
    }
    self.init(object: object, variables: variables, context: context)
  }

  /// The same inputs with one more variable, which hides another of the same name.
  func binding(_ name: String, to value: Any?) -> EvaluationInputs {
    var inputs = self
    inputs.variables[name] = value ?? NSNull()
    return inputs
  }

  func value(ofVariable name: String) throws(PredicateEvaluationError) -> Any? {
    guard let value = variables[name] else { throw .missingVariable(name) }
    return unwrapped(value)
  }
}
