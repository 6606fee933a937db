public import Foundation

extension NSExpression {
  /// Returns the value of the expression for an object, or throws an evaluation error.
  ///
  /// Parhelion's addition: Apple's platforms raise an exception instead.
  ///
  /// - Parameters:
  ///   - object: The object that key paths start at.
  ///   - context: The values of the variables, by name.
  public func evaluated(with object: Any?, context: NSMutableDictionary? = nil) throws -> Any? {
    try value(with: EvaluationInputs(object: object, context: context))
  }

  /// The value of the expression with given inputs.
  ///
  /// It checks its own permission, because it may be the decoded part of a predicate or expression
  /// that was not decoded.
  func value(with inputs: EvaluationInputs) throws(PredicateEvaluationError) -> Any? {
    try requirePermission()
    switch node {
    case .constant(let value): return value
    case .evaluatedObject: return inputs.object
    case .variable(let name): return try inputs.value(ofVariable: name)
    case .keyPath(let path):
      return try KeyValueReader.value(of: inputs.object, at: path.components[...])
    case .function(let operand, let name, let arguments):
      return try call(name, on: operand, arguments, with: inputs)
    case .aggregate(let elements):
      return try elements.values(with: inputs).map { $0 ?? NSNull() }
    case .conditional(let predicate, let first, let second):
      return try (predicate.result(with: inputs) ? first : second).value(with: inputs)
    case .block(let block, let arguments):
      let values = try arguments.values(with: inputs).map { $0 ?? NSNull() }
      return unwrapped(block(inputs.object, values, inputs.context))
    case .subquery(let collection, let variable, let predicate):
      return try select(from: collection, variable, predicate, with: inputs)
    case .unionSet, .intersectSet, .minusSet: return try combine(with: inputs)
    case .fetch(let request, let context, let countOnly):
      let results = try fetch(request, in: context, inputs)
      return countOnly ? results.count : results
    case .custom: return expressionValue(with: inputs.object, context: inputs.context)
    case .anyKey:
      throw PredicateEvaluationError(
        .badFunctionCall,
        "ANYKEY is only valid in full-text queries; it cannot be evaluated in memory.")
    }
  }

  private func call(
    _ name: String, on operand: NSExpression?, _ arguments: [NSExpression],
    with inputs: EvaluationInputs
  ) throws(PredicateEvaluationError) -> Any? {
    guard let operand else {
      return try FunctionCall(name: name, arguments: arguments).value(with: inputs)
    }
    let target = try operand.value(with: inputs)
    return try MethodCall(name: name, arguments: arguments).value(of: target, with: inputs)
  }

  private func fetch(
    _ request: NSExpression, in context: NSExpression, _ inputs: EvaluationInputs
  ) throws(PredicateEvaluationError) -> [Any] {
    let value = try request.value(with: inputs)
    guard let performer = try context.value(with: inputs) as? any FetchPerforming else {
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
    with inputs: EvaluationInputs
  ) throws(PredicateEvaluationError) -> [Any] {
    var selected: [Any] = []
    for element in try collection.elements(with: inputs, for: "SUBQUERY") {
      if try predicate.result(with: inputs.binding(variable, to: element)) {
        selected.append(element ?? NSNull())
      }
    }
    return selected
  }

  private func combine(with inputs: EvaluationInputs) throws(PredicateEvaluationError) -> [Any] {
    switch node {
    case .unionSet(let left, let right):
      let elements =
        try left.elements(with: inputs, for: "UNION")
        + right.elements(with: inputs, for: "UNION")
      return distinct(elements.map { $0 ?? NSNull() })
    case .intersectSet(let left, let right):
      return try select(left, right, keepingCommon: true, for: "INTERSECT", with: inputs)
    case .minusSet(let left, let right):
      return try select(left, right, keepingCommon: false, for: "MINUS", with: inputs)
    default: return []
    }
  }

  private func select(
    _ left: NSExpression, _ right: NSExpression, keepingCommon: Bool, for name: String,
    with inputs: EvaluationInputs
  ) throws(PredicateEvaluationError) -> [Any] {
    let others = MembershipIndex(try right.elements(with: inputs, for: name), folding: nil)
    let elements = try left.elements(with: inputs, for: name)
    return distinct(
      elements.filter { others.contains(Value($0)) == keepingCommon }.map { $0 ?? NSNull() })
  }

  /// The elements of the expression's value; empty for `nil`.
  private func elements(with inputs: EvaluationInputs, for name: String)
    throws(PredicateEvaluationError) -> [Any?]
  {
    guard let value = try value(with: inputs) else { return [] }
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
  func values(with inputs: EvaluationInputs) throws(PredicateEvaluationError) -> [Any?] {
    var values: [Any?] = []
    values.reserveCapacity(count)
    for expression in self { values.append(try expression.value(with: inputs)) }
    return values
  }
}
