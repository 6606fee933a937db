/// A parsed number: `mantissa` × 10 to the power of `exponent`.
struct Numeral {
  var isNegative = false
  /// The first 19 significant digits.
  var mantissa: UInt64 = 0
  var exponent = 0
  /// Whether digits other than zero follow those of the mantissa.
  var isTruncated = false
  /// Whether the number has neither a fraction nor an exponent.
  var isPlainInteger = true
  /// The range of the number's text.
  var range = 0..<0

  private var keptDigits = 0

  init() {}

  /// Adds the next digit of the integer or the fraction.
  @inline(__always)
  mutating func append(digit: UInt8, isFraction: Bool) {
    if keptDigits < Limits.keptDigits {
      mantissa = mantissa &* 10 &+ UInt64(digit)
      if mantissa != 0 { keptDigits &+= 1 }
      if isFraction { exponent &-= 1 }
    } else {
      if digit != 0 { isTruncated = true }
      if !isFraction { exponent &+= 1 }
    }
  }
}

// MARK: - As an integer

extension Numeral {
  enum IntegerFailure: Error {
    case notIntegral, outOfRange
  }

  /// Returns the exact integer value.
  func int64() throws(IntegerFailure) -> Int64 {
    guard mantissa != 0 else { return 0 }
    guard !isTruncated else { throw exponent > 0 ? .outOfRange : .notIntegral }
    return try signed(exponent < 0 ? divided() : multiplied())
  }

  private func divided() throws(IntegerFailure) -> UInt64 {
    guard exponent > -Limits.keptDigits else { throw .notIntegral }
    var magnitude = mantissa
    for _ in 0 ..< -exponent {
      let (quotient, digit) = magnitude.quotientAndRemainder(dividingBy: 10)
      guard digit == 0 else { throw .notIntegral }
      magnitude = quotient
    }
    return magnitude
  }

  private func multiplied() throws(IntegerFailure) -> UInt64 {
    guard exponent < Limits.keptDigits else { throw .outOfRange }
    var magnitude = mantissa
    for _ in 0..<exponent {
      let (product, overflow) = magnitude.multipliedReportingOverflow(by: 10)
      guard !overflow else { throw .outOfRange }
      magnitude = product
    }
    return magnitude
  }

  private func signed(_ magnitude: UInt64) throws(IntegerFailure) -> Int64 {
    guard magnitude <= UInt64(Int64.max) + (isNegative ? 1 : 0) else { throw .outOfRange }
    return isNegative
      ? 0 &- Int64(truncatingIfNeeded: magnitude) : Int64(truncatingIfNeeded: magnitude)
  }
}
