internal import Foundation

extension Connection {
  /// Registers the numeric functions of expressions that SQLite lacks, or has only in some builds.
  ///
  /// | function | result |
  /// |---|---|
  /// | `ParhelionModulus(a, b)` | the remainder, with the sign of `a`; NULL if `b` is integer 0 |
  /// | `ParhelionPower(a, b)` | a power |
  /// | `ParhelionSquareRoot(a)`, `ParhelionExponential(a)` | a floating-point number |
  /// | `ParhelionLogarithm(a)`, `ParhelionNaturalLogarithm(a)` | the logarithms to base 10 and e |
  /// | `ParhelionFloor(a)`, `ParhelionCeiling(a)`, `ParhelionTruncate(a)` | a rounded number |
  /// | `ParhelionAbsolute(a)` | the absolute value |
  ///
  /// Each returns NULL for NULL, and if the result is not a number. Rounding keeps integers.
  package func registerNumberFunctions() throws(SQLiteError) {
    try register(number: "ParhelionSquareRoot") { .real($0.double.squareRoot()) }
    try register(number: "ParhelionLogarithm") { .real(log10($0.double)) }
    try register(number: "ParhelionNaturalLogarithm") { .real(log($0.double)) }
    try register(number: "ParhelionExponential") { .real(exp($0.double)) }
    try register(number: "ParhelionFloor") { $0.rounded(.down) }
    try register(number: "ParhelionCeiling") { $0.rounded(.up) }
    try register(number: "ParhelionTruncate") { $0.rounded(.towardZero) }
    try register(number: "ParhelionAbsolute") { $0.magnitude }
    try register(numbers: "ParhelionModulus") { $0.remainder(dividingBy: $1) }
    try register(numbers: "ParhelionPower") { $0.raised(to: $1) }
  }

  private func register(number name: String, _ body: @escaping (SQLNumber) -> Value)
    throws(SQLiteError)
  {
    try register(function: name, arity: .exactly(1), traits: [.deterministic, .innocuous]) {
      arguments in
      SQLNumber(arguments, at: 0).map(body) ?? .null
    }
  }

  private func register(
    numbers name: String, _ body: @escaping (SQLNumber, SQLNumber) -> Value
  ) throws(SQLiteError) {
    try register(function: name, arity: .exactly(2), traits: [.deterministic, .innocuous]) {
      arguments in
      guard let one = SQLNumber(arguments, at: 0), let other = SQLNumber(arguments, at: 1) else {
        return .null
      }
      return body(one, other)
    }
  }
}

/// A number of one of SQLite's two kinds.
private enum SQLNumber {
  case whole(Int64)
  case real(Double)

  /// The number of an argument, a floating-point one for a text or a blob; nil for NULL.
  init?(_ arguments: borrowing FunctionArguments, at index: Int) {
    switch arguments.storageClass(at: index) {
    case .null: return nil
    case .integer: self = .whole(arguments.int64(at: index))
    case .real, .text, .blob: self = .real(arguments.double(at: index))
    }
  }

  var double: Double {
    switch self {
    case .whole(let value): Double(value)
    case .real(let value): value
    }
  }

  private var value: Value {
    switch self {
    case .whole(let value): .integer(value)
    case .real(let value): .real(value)
    }
  }

  var magnitude: Value {
    switch self {
    case .whole(.min): .real(double.magnitude)
    case .whole(let value): .integer(Swift.abs(value))
    case .real(let value): .real(value.magnitude)
    }
  }

  func rounded(_ rule: FloatingPointRoundingRule) -> Value {
    switch self {
    case .whole: value
    case .real(let value): .real(value.rounded(rule))
    }
  }

  func remainder(dividingBy divisor: SQLNumber) -> Value {
    switch (self, divisor) {
    case (_, .whole(0)): .null
    case (.whole, .whole(-1)): .integer(0)
    case (.whole(let one), .whole(let other)): .integer(one % other)
    default: .real(fmod(double, divisor.double))
    }
  }

  func raised(to exponent: SQLNumber) -> Value {
    let approximate = Value.real(pow(double, exponent.double))
    guard case .whole(let base) = self, case .whole(let count) = exponent, (0...63).contains(count)
    else {
      return approximate
    }
    var result: Int64 = 1
    for _ in 0..<count {
      let (product, overflows) = result.multipliedReportingOverflow(by: base)
      if overflows { return approximate }
      result = product
    }
    return .integer(result)
  }
}
