public import Foundation

extension NSExpression {
  /// Returns the value of the expression for an object, or throws an error if Apple's platforms
  /// raise an exception.
  ///
  /// Parhelion's addition.
  ///
  /// - Parameters:
  ///   - object: The object that key paths start at.
  ///   - context: The values of the variables, by name.
  public func evaluated(with object: Any?, context: NSMutableDictionary? = nil) throws -> Any? {
    try requirePermission()
    return try value(in: Environment(object: object, context: context))
  }

  /// The value of the expression in an environment.
  func value(in environment: Environment) throws(PredicateEvaluationError) -> Any? {
    switch node {
    case .constant(let value): return value
    case .evaluatedObject: return environment.object
    case .variable(let name): return try environment.value(ofVariable: name)
    case .keyPath(let path):
      return try KeyValueReader.value(of: environment.object, at: path.components[...])
    case .function(let operand, let name, let arguments):
      return try call(name, on: operand, arguments, in: environment)
    case .aggregate(let elements):
      return try elements.values(in: environment).map { $0 ?? NSNull() }
    case .conditional(let predicate, let first, let second):
      return try (predicate.result(in: environment) ? first : second).value(in: environment)
    case .block(let block, let arguments):
      let values = try arguments.values(in: environment).map { $0 ?? NSNull() }
      return unwrapped(block(environment.object, values, environment.context))
    case .subquery(let collection, let variable, let predicate):
      return try select(from: collection, variable, predicate, in: environment)
    case .unionSet, .intersectSet, .minusSet: return try combine(in: environment)
    case .fetch(let request, let context, let countOnly):
      let results = try fetch(request, in: context, environment)
      return countOnly ? results.count : results
    case .custom: return expressionValue(with: environment.object, context: environment.context)
    case .anyKey:
      throw PredicateEvaluationError(
        .badFunctionCall,
        "ANYKEY is only valid in full-text queries; it cannot be evaluated in memory.")
    }
  }

  private func call(
    _ name: String, on operand: NSExpression?, _ arguments: [NSExpression],
    in environment: Environment
  ) throws(PredicateEvaluationError) -> Any? {
    guard let operand else {
      return try FunctionCall(name: name, arguments: arguments).value(in: environment)
    }
    let target = try operand.value(in: environment)
    return try MethodCall(name: name, arguments: arguments).value(of: target, in: environment)
  }

  private func fetch(
    _ request: NSExpression, in context: NSExpression, _ environment: Environment
  ) throws(PredicateEvaluationError) -> [Any] {
    let value = try request.value(in: environment)
    guard let performer = try context.value(in: environment) as? any FetchPerforming else {
      throw PredicateEvaluationError(
        .badFunctionCall, "FETCH needs a managed object context; \(context) is something else.")
    }
    do {
      if let value, let results = try performer.results(ofFetch: value) { return results }
    } catch {
      throw PredicateEvaluationError(.badFunctionCall, "\(formatText) failed: \(error)")
    }
    let kind = value.map { "a value of type \(type(of: $0))" } ?? "nil"
    throw PredicateEvaluationError(
      .badFunctionCall, "FETCH needs a fetch request; \(request) is \(kind).")
  }

  // MARK: Collections

  private func select(
    from collection: NSExpression, _ variable: String, _ predicate: NSPredicate,
    in environment: Environment
  ) throws(PredicateEvaluationError) -> [Any] {
    var selected: [Any] = []
    for element in try collection.elements(in: environment, for: "SUBQUERY") {
      if try predicate.result(in: environment.binding(variable, to: element)) {
        selected.append(element ?? NSNull())
      }
    }
    return selected
  }

  private func combine(in environment: Environment) throws(PredicateEvaluationError) -> [Any] {
    switch node {
    case .unionSet(let left, let right):
      let elements =
        try left.elements(in: environment, for: "UNION")
        + right.elements(in: environment, for: "UNION")
      return distinct(elements.map { $0 ?? NSNull() })
    case .intersectSet(let left, let right):
      return try select(left, right, keepingCommon: true, for: "INTERSECT", in: environment)
    case .minusSet(let left, let right):
      return try select(left, right, keepingCommon: false, for: "MINUS", in: environment)
    default: return []
    }
  }

  private func select(
    _ left: NSExpression, _ right: NSExpression, keepingCommon: Bool, for name: String,
    in environment: Environment
  ) throws(PredicateEvaluationError) -> [Any] {
    let others = MembershipIndex(try right.elements(in: environment, for: name), folding: nil)
    let elements = try left.elements(in: environment, for: name)
    return distinct(
      elements.filter { others.contains(Value($0)) == keepingCommon }.map { $0 ?? NSNull() })
  }

  /// The elements of the expression's value; empty for `nil`.
  private func elements(in environment: Environment, for name: String)
    throws(PredicateEvaluationError) -> [Any?]
  {
    guard let value = try value(in: environment) else { return [] }
    guard let elements = Elements(value) else {
      throw PredicateEvaluationError(
        .notACollection,
        "\(name) needs a collection; \(formatText) is a value of type \(type(of: value)).")
    }
    return elements.values
  }
}

extension [NSExpression] {
  /// The values of the expressions, in order.
  func values(in environment: Environment) throws(PredicateEvaluationError) -> [Any?] {
    var values: [Any?] = []
    values.reserveCapacity(count)
    for expression in self { values.append(try expression.value(in: environment)) }
    return values
  }
}
