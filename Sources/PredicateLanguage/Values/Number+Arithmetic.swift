import Foundation

/// Arithmetic: the result of two `Int` numbers is whole if an `Int` can hold it, else
/// floating-point.
///
/// Sums, differences, products and quotients with a decimal are decimals, if a decimal can hold the
/// other number.
extension Number {
  var negated: Number {
    switch self {
    case .integer(.min): .unsigned(1 << 63)
    case .integer(let value): .integer(-value)
    case .unsigned(1 << 63): .integer(.min)
    case .unsigned(let value): .double(-Double(value))
    case .double(let value): .double(-value)
    case .decimal(let value): .decimal(-value)
    }
  }

  static func + (left: Number, right: Number) -> Number {
    left.combine(right, { $0.addingReportingOverflow($1) }, { $0 + $1 }, { $0 + $1 })
  }

  static func - (left: Number, right: Number) -> Number {
    left.combine(right, { $0.subtractingReportingOverflow($1) }, { $0 - $1 }, { $0 - $1 })
  }

  static func * (left: Number, right: Number) -> Number {
    left.combine(right, { $0.multipliedReportingOverflow(by: $1) }, { $0 * $1 }, { $0 * $1 })
  }

  /// The quotient, truncated for two whole numbers; nil for a division by a whole or decimal zero,
  /// as SQLite returns NULL.
  func divided(by divisor: Number) -> Number? {
    switch (self, divisor) {
    case (_, .integer(0)): return nil
    case (.integer, .integer):
      return combine(divisor, { $0.dividedReportingOverflow(by: $1) }, { $0 / $1 }, { $0 / $1 })
    case (.decimal, _), (_, .decimal):
      if let left = decimal, let right = divisor.decimal {
        return right == 0 ? nil : .decimal(left / right)
      }
      return .double(double / divisor.double)
    default: return .double(double / divisor.double)
    }
  }

  /// The remainder of a division, with the sign of the dividend.
  func remainder(dividingBy divisor: Number) -> Number? {
    switch (self, divisor) {
    case (_, .integer(0)): return nil
    case (.integer(let left), .integer(let right)): return .integer(right == -1 ? 0 : left % right)
    default: return .double(fmod(double, divisor.double))
    }
  }

  /// The power, as a whole number while it fits.
  func raised(to exponent: Number) -> Number {
    guard case .integer(let base) = self, case .integer(let count) = exponent,
      (0...63).contains(count)
    else {
      return .double(pow(double, exponent.double))
    }
    var result = 1
    for _ in 0..<count {
      let (product, overflows) = result.multipliedReportingOverflow(by: base)
      if overflows { return .double(pow(double, exponent.double)) }
      result = product
    }
    return .integer(result)
  }

  /// Rounds the number; a whole number remains unchanged.
  func rounded(_ rule: FloatingPointRoundingRule) -> Number {
    switch self {
    case .integer, .unsigned: return self
    case .double(let value): return .double(value.rounded(rule))
    case .decimal(var value):
      var result = Decimal()
      unsafe NSDecimalRound(&result, &value, 0, rule.decimalMode(isNegative: value < 0))
      return .decimal(result)
    }
  }

  var magnitude: Number {
    compare(.integer(0)) == .orderedAscending ? negated : self
  }

  private func combine(
    _ other: Number, _ whole: (Int, Int) -> (partialValue: Int, overflow: Bool),
    _ decimals: (Decimal, Decimal) -> Decimal, _ doubles: (Double, Double) -> Double
  ) -> Number {
    if case .integer(let left) = self, case .integer(let right) = other {
      let (value, overflow) = whole(left, right)
      return overflow ? .double(doubles(Double(left), Double(right))) : .integer(value)
    }
    if hasDecimal || other.hasDecimal, let left = decimal, let right = other.decimal {
      return .decimal(decimals(left, right))
    }
    return .double(doubles(double, other.double))
  }

  private var hasDecimal: Bool {
    if case .decimal = self { return true }
    return false
  }
}

extension FloatingPointRoundingRule {
  fileprivate func decimalMode(isNegative: Bool) -> NSDecimalNumber.RoundingMode {
    switch self {
    case .up: .up
    case .down: .down
    case .towardZero: isNegative ? .up : .down
    default: .plain
    }
  }
}
