/// The predefined functions of expressions.
package enum ExpressionFunction: String, CaseIterable, Sendable {
  // Aggregates.
  case average = "average:"
  case sum = "sum:"
  case count = "count:"
  case min = "min:"
  case max = "max:"
  case median = "median:"
  case mode = "mode:"
  case standardDeviation = "stddev:"
  case distinct = "distinct:"
  // Arithmetic.
  case add = "add:to:"
  case subtract = "from:subtract:"
  case multiply = "multiply:by:"
  case divide = "divide:by:"
  case modulus = "modulus:by:"
  case power = "raise:toPower:"
  case squareRoot = "sqrt:"
  case logarithm = "log:"
  case naturalLogarithm = "ln:"
  case exponential = "exp:"
  case floor = "floor:"
  case ceiling = "ceiling:"
  case absolute = "abs:"
  case truncate = "trunc:"
  case random = "random"
  case randomBelow = "random:"
  // Bit operations.
  case bitwiseAnd = "bitwiseAnd:with:"
  case bitwiseOr = "bitwiseOr:with:"
  case bitwiseXor = "bitwiseXor:with:"
  case leftShift = "leftshift:by:"
  case rightShift = "rightshift:by:"
  case onesComplement = "onesComplement:"
  // Text.
  case uppercase = "uppercase:"
  case lowercase = "lowercase:"
  case canonical = "canonical:"
  case length = "length:"
  // Other functions.
  case now = "now"
  case noIndex = "noindex:"
  case distance = "distanceToLocation:fromLocation:"
  case objectWithIndex = "objectFrom:withIndex:"
  case cast = "castObject:toType:"
  case first = "first"
  case last = "last"
  case size = "size"

  /// The name with its colons.
  package var name: String { rawValue }

  /// The number of arguments, one for each colon.
  package var argumentCount: Int { rawValue.count { $0 == ":" } }

  /// Whether several arguments are the elements of one collection.
  package var takesCollection: Bool {
    switch self {
    case .average, .sum, .count, .min, .max, .median, .mode, .standardDeviation, .distinct: true
    default: false
    }
  }
}

extension ExpressionFunction {
  /// The function with a name and a number of arguments.
  init?(named name: String, argumentCount: Int) {
    guard let function = ExpressionFunction(rawValue: name) else { return nil }
    guard function.argumentCount == argumentCount || (function.takesCollection && argumentCount > 0)
    else { return nil }
    self = function
  }

  /// The function of a call in a format string, which may omit the colons, as in `add(1, 2)`.
  init?(written name: String, argumentCount: Int) {
    if let function = ExpressionFunction(named: name, argumentCount: argumentCount) {
      self = function
      return
    }
    guard !name.contains(":"), let function = Self.spelled(name, argumentCount) else { return nil }
    self = function
  }

  private static func spelled(_ name: String, _ argumentCount: Int) -> ExpressionFunction? {
    if let function = ExpressionFunction(named: name + ":", argumentCount: argumentCount) {
      return function
    }
    return allCases.first { $0.argumentCount == argumentCount && $0.rawValue.hasPrefix(name + ":") }
  }

  /// Says why a call matches no function.
  static func mismatchMessage(for name: String, _ argumentCount: Int) -> String {
    let stem = name.split(separator: ":").first.map(String.init) ?? name
    let near = allCases.filter { $0.rawValue.split(separator: ":").first.map(String.init) == stem }
    guard let known = near.first else {
      return
        "“\(name)” is not a function; the functions are \(allCases.map(\.rawValue).joined(separator: ", "))"
    }
    let unit = known.argumentCount == 1 ? "argument" : "arguments"
    return "“\(known.rawValue)” takes \(known.argumentCount) \(unit), not \(argumentCount)"
  }
}
