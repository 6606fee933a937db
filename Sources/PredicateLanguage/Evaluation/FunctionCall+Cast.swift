import Foundation

/// `CAST(value, "Type")`
extension FunctionCall {
  func cast(in environment: Environment) throws(PredicateEvaluationError) -> Any? {
    guard let value = try arguments[0].value(in: environment) else { return nil }
    guard let type = try arguments[1].value(in: environment).flatMap(asString) else {
      throw callError("“\(name)” needs the name of a type, such as \"NSDate\".")
    }
    guard let result = CastFunction.value(value, as: type) else {
      throw callError("\(value) cannot be cast to \(type).")
    }
    return result
  }
}
