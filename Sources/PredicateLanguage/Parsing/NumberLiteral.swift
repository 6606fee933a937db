import Foundation

/// A number literal: a whole number if it fits 64 bits, else a floating-point number.
enum NumberLiteral {
  case integer(Int)
  /// A number above the largest `Int`.
  case unsigned(UInt64)
  case double(Double)

  /// The value of a constant expression.
  var value: Any {
    switch self {
    case .integer(let value): value
    case .unsigned(let value): value
    case .double(let value): value
    }
  }

  /// Parses digits in base 2, 8, 10 or 16.
  ///
  /// A number of more than 64 bits becomes a floating-point one.
  init?(digits: String, radix: Int) {
    if let value = Int(digits, radix: radix) {
      self = .integer(value)
    } else if let value = UInt64(digits, radix: radix) {
      self = .unsigned(value)
    } else {
      var sum = 0.0
      for digit in digits {
        guard let value = digit.hexDigitValue, value < radix else { return nil }
        sum = sum * Double(radix) + Double(value)
      }
      guard !digits.isEmpty else { return nil }
      self = .double(radix == 10 ? Double(digits) ?? sum : sum)
    }
  }
}
