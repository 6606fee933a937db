import Foundation

/// `CAST(value, "Type")`
extension FunctionCall {
  func cast(with inputs: EvaluationInputs) throws(PredicateEvaluationError) -> Any? {
    guard let value = try arguments[0].value(with: inputs) else { return nil }
    guard let type = try arguments[1].value(with: inputs).flatMap(asString) else {
      throw callError("“\(name)” needs the name of a type, such as \"NSDate\".")
    }
    guard let result = CastFunction.value(value, as: type) else {
      throw callError("\(value) cannot be cast to \(type).")
    }
    return result
  }
}
