import Foundation
import TextMatching

/// A call of a predefined function.
struct FunctionCall {
  let name: String
  let arguments: [NSExpression]

  func value(with inputs: EvaluationInputs) throws(PredicateEvaluationError) -> Any? {
    guard let function = ExpressionFunction(named: name, argumentCount: arguments.count) else {
      throw PredicateEvaluationError(
        .badFunctionCall, ExpressionFunction.mismatchMessage(for: name, arguments.count) + ".")
    }
    switch function {
    case .objectWithIndex: return try element(with: inputs)
    case .noIndex: return try arguments[0].value(with: inputs)
    case .cast: return try cast(with: inputs)
    case .now: return EvaluationDependencies.current.now()
    case .random:
      return Int(truncatingIfNeeded: EvaluationDependencies.current.randomBits() & 0x7FFF_FFFF)
    case .distance:
      throw callError("“\(name)” has no value in memory; CloudKit queries support it.")
    case .first, .last, .size:
      throw callError(
        "\(name.uppercased()) is only valid between brackets: a[\(name.uppercased())].")
    case _ where function.takesCollection: return try overCollection(function, with: inputs)
    default: return try overValues(function, try arguments.values(with: inputs))
    }
  }

  func callError(_ message: String) -> PredicateEvaluationError {
    PredicateEvaluationError(.badFunctionCall, message)
  }

  // MARK: Collections

  private func overCollection(
    _ function: ExpressionFunction, with inputs: EvaluationInputs
  ) throws(PredicateEvaluationError) -> Any? {
    let values = try collection(with: inputs)
    switch function {
    case .count: return values.count
    case .min: return try Ordering.extreme(of: values, .orderedAscending)
    case .max: return try Ordering.extreme(of: values, .orderedDescending)
    case .distinct: return distinct(values.compactMap { $0 })
    default: break
    }
    let statistics = try Statistics(values, for: name)
    switch function {
    case .sum: return statistics.sum.boxed
    case .average: return statistics.average?.boxed ?? 0
    case .median: return statistics.median?.boxed
    case .mode: return statistics.modes.map(\.boxed)
    default: return statistics.standardDeviation
    }
  }

  /// The elements of a single collection argument, or else the arguments themselves.
  private func collection(with inputs: EvaluationInputs)
    throws(PredicateEvaluationError) -> [Any?]
  {
    let values = try arguments.values(with: inputs)
    guard values.count == 1 else { return values }
    guard let only = values[0] else { return [] }
    return Elements(only)?.values ?? values
  }

  // MARK: Values

  /// Calls a function of plain values.
  ///
  /// The result is nil if an argument is nil.
  private func overValues(
    _ function: ExpressionFunction, _ values: [Any?]
  ) throws(PredicateEvaluationError) -> Any? {
    let present = values.compactMap { $0 }
    guard present.count == values.count else { return nil }
    switch function {
    case .uppercase: return try text(present[0]).uppercased()
    case .lowercase: return try text(present[0]).lowercased()
    case .canonical:
      return TextFolding([.caseInsensitive, .diacriticInsensitive]).fold(try text(present[0]))
    case .length: return try text(present[0]).utf16.count
    case .bitwiseAnd, .bitwiseOr, .bitwiseXor, .leftShift, .rightShift, .onesComplement:
      return try bits(
        function, try present.map { value throws(PredicateEvaluationError) in try whole(value) })
    case .add, .subtract:
      if let result = dateArithmetic(function, Value(present[0]), Value(present[1])) {
        return result
      }
      fallthrough
    default:
      return try arithmetic(
        function, try present.map { value throws(PredicateEvaluationError) in try number(value) })?
        .boxed
    }
  }

  private func text(_ value: Any) throws(PredicateEvaluationError) -> String {
    guard let text = asString(value) else {
      throw callError("“\(name)” needs a string, not a value of type \(type(of: value)).")
    }
    return text
  }

  private func number(_ value: Any) throws(PredicateEvaluationError) -> Number {
    guard let number = Number(value) else {
      throw callError("“\(name)” needs numbers, not a value of type \(type(of: value)).")
    }
    return number
  }

  private func whole(_ value: Any) throws(PredicateEvaluationError) -> Int {
    guard let whole = try number(value).integer else {
      throw callError("“\(name)” needs whole numbers of 64 bits, not \(value).")
    }
    return whole
  }

  private func bits(_ function: ExpressionFunction, _ values: [Int])
    throws(PredicateEvaluationError) -> Int
  {
    switch function {
    case .bitwiseAnd: return values[0] & values[1]
    case .bitwiseOr: return values[0] | values[1]
    case .bitwiseXor: return values[0] ^ values[1]
    case .leftShift: return values[0] << values[1]
    case .rightShift: return values[0] >> values[1]
    default: return ~values[0]
    }
  }

  /// A date moved by seconds, or the seconds between two dates; nil if neither value is a date.
  private func dateArithmetic(_ function: ExpressionFunction, _ left: Value, _ right: Value) -> Any?
  {
    switch (left, right) {
    case (.date(let later), .date(let earlier)) where function == .subtract:
      later.timeIntervalSince(earlier)
    case (.date(let date), .number(let seconds)):
      date.addingTimeInterval(function == .add ? seconds.double : -seconds.double)
    case (.number(let seconds), .date(let date)) where function == .add:
      date.addingTimeInterval(seconds.double)
    default: nil
    }
  }

  private func arithmetic(
    _ function: ExpressionFunction, _ values: [Number]
  ) throws(PredicateEvaluationError) -> Number? {
    switch function {
    case .add: return values[0] + values[1]
    case .subtract: return values[0] - values[1]
    case .multiply: return values[0] * values[1]
    case .divide: return values[0].divided(by: values[1])
    case .modulus: return values[0].remainder(dividingBy: values[1])
    case .power: return values[0].raised(to: values[1])
    case .squareRoot: return .double(values[0].double.squareRoot())
    case .logarithm: return .double(log10(values[0].double))
    case .naturalLogarithm: return .double(log(values[0].double))
    case .exponential: return .double(exp(values[0].double))
    case .floor: return values[0].rounded(.down)
    case .ceiling: return values[0].rounded(.up)
    case .truncate: return values[0].rounded(.towardZero)
    case .absolute: return values[0].magnitude
    case .randomBelow: return try random(below: values[0])
    default: throw callError("“\(name)” is not a function of numbers.")
    }
  }

  private func random(below bound: Number) throws(PredicateEvaluationError) -> Number {
    guard let bound = bound.integer, bound > 0 else {
      throw callError("“random:” needs a positive whole number.")
    }
    return .integer(Int(EvaluationDependencies.current.randomBits() % UInt64(bound)))
  }
}
