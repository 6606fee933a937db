package import Foundation

/// A number of any of Foundation's types, compared and calculated without loss if possible.
///
/// `Int64` and `Double` are compared exactly: 2^53 + 1 is larger than the `Double` 2^53. A
/// `Decimal` is compared with a `Double` through the shortest decimal text of the latter, so the
/// decimal 0.1 equals the literal `0.1`.
package enum Number: Sendable {
  case integer(Int)
  /// A number above the largest `Int`.
  case unsigned(UInt64)
  case double(Double)
  case decimal(Decimal)

  /// The number in a value, if it is one; a Boolean is 0 or 1.
  package init?(_ value: Any) {
    let type = type(of: value)
    if type is AnyClass {
      guard let number = (value as AnyObject) as? NSNumber else { return nil }
      self.init(number)
    } else {
      self.init(scalar: value, type: type)
    }
  }

  private init?(scalar value: Any, type: any Any.Type) {
    if type == Int.self, let value = value as? Int {
      self = .integer(value)
    } else if type == Double.self, let value = value as? Double {
      self = .double(value)
    } else if type == Int64.self, let value = value as? Int64 {
      self = .integer(Int(value))
    } else if type == Int32.self, let value = value as? Int32 {
      self = .integer(Int(value))
    } else if type == Bool.self, let value = value as? Bool {
      self = .integer(value ? 1 : 0)
    } else {
      self.init(rareScalar: value)
    }
  }

  private init?(rareScalar value: Any) {
    switch value {
    case let value as any BinaryInteger: self.init(integer: value)
    case let value as any BinaryFloatingPoint: self = .double(Double(value))
    case let value as Decimal: self = .decimal(value)
    default: return nil
    }
  }

  private init?(integer value: some BinaryInteger) {
    if let value = Int(exactly: value) {
      self = .integer(value)
    } else if let value = UInt64(exactly: value) {
      self = .unsigned(value)
    } else {
      self = .double(Double(value))
    }
  }

  private init(_ number: NSNumber) {
    if let decimal = number as? NSDecimalNumber {
      self = .decimal(decimal.decimalValue)
      return
    }
    switch UInt8(bitPattern: unsafe number.objCType.pointee) {
    case UInt8(ascii: "d"), UInt8(ascii: "f"): self = .double(number.doubleValue)
    case UInt8(ascii: "Q") where number.uint64Value > UInt64(Int.max):
      self = .unsigned(number.uint64Value)
    default: self = .integer(number.intValue)
    }
  }

  /// The number in a type for constants and results.
  package var boxed: Any {
    switch self {
    case .integer(let value): value
    case .unsigned(let value): value
    case .double(let value): value
    case .decimal(let value): NSDecimalNumber(decimal: value)
    }
  }

  /// The nearest floating-point number.
  package var double: Double {
    switch self {
    case .integer(let value): Double(value)
    case .unsigned(let value): Double(value)
    case .double(let value): value
    case .decimal(let value):
      Double(value.description) ?? NSDecimalNumber(decimal: value).doubleValue
    }
  }

  /// The number as a decimal, if a decimal can hold it.
  package var decimal: Decimal? {
    switch self {
    case .integer(let value): return Decimal(value)
    case .unsigned(let value): return Decimal(value)
    case .decimal(let value): return value.isNaN ? nil : value
    case .double(let value):
      guard value.isFinite, value == 0 || (1e-100...1e100).contains(value.magnitude) else {
        return nil
      }
      return Decimal(string: value.description)
    }
  }

  /// The number rounded toward zero, if an `Int` can hold it.
  package var integer: Int? {
    switch self {
    case .integer(let value): return value
    case .unsigned: return nil
    case .double(let value): return Int(exactly: value.rounded(.towardZero))
    case .decimal:
      guard case .decimal(let whole) = rounded(.towardZero) else { return nil }
      return Int(whole.description)
    }
  }

  /// Whether the number has an integer type: the quotient of two integers is an integer.
  package var isInteger: Bool {
    switch self {
    case .integer, .unsigned: true
    case .double, .decimal: false
    }
  }
}

// MARK: - Comparing

extension Number: Hashable {
  /// The order of two numbers; nil if either is NaN.
  package func compare(_ other: Number) -> ComparisonResult? {
    switch (self, other) {
    case (.integer(let left), .integer(let right)): return order(left, right)
    case (.unsigned(let left), .unsigned(let right)): return order(left, right)
    case (.integer, .unsigned): return .orderedAscending
    case (.unsigned, .integer): return .orderedDescending
    case (.double(let left), .double(let right)):
      return left.isNaN || right.isNaN ? nil : order(left, right)
    case (.integer(let left), .double(let right)): return order(left, right)
    case (.unsigned(let left), .double(let right)): return order(left, right)
    case (.double, .integer), (.double, .unsigned): return other.compare(self).map(\.reversed)
    case (.decimal, _), (_, .decimal): return compareDecimals(other)
    }
  }

  /// The exact order of an integer and a floating-point number; nil for NaN.
  private func order(_ left: some BinaryInteger, _ right: Double) -> ComparisonResult? {
    guard !right.isNaN else { return nil }
    guard right.isFinite else { return right < 0 ? .orderedDescending : .orderedAscending }
    if right >= 18_446_744_073_709_551_616 { return .orderedAscending }
    if right < -9_223_372_036_854_775_808 { return .orderedDescending }
    let whole = right.rounded(.down)
    if whole >= 0, let bound = UInt64(exactly: whole) {
      return left < bound
        ? .orderedAscending : left > bound ? .orderedDescending : below(whole, right)
    }
    guard let bound = Int(exactly: whole) else { return nil }
    return left < bound
      ? .orderedAscending : left > bound ? .orderedDescending : below(whole, right)
  }

  private func below(_ whole: Double, _ right: Double) -> ComparisonResult {
    whole < right ? .orderedAscending : .orderedSame
  }

  private func compareDecimals(_ other: Number) -> ComparisonResult? {
    if let left = decimal, let right = other.decimal { return order(left, right) }
    let (left, right) = (double, other.double)
    return left.isNaN || right.isNaN ? nil : order(left, right)
  }

  private func order<Value: Comparable>(_ left: Value, _ right: Value) -> ComparisonResult {
    left < right ? .orderedAscending : right < left ? .orderedDescending : .orderedSame
  }

  package static func == (one: Number, other: Number) -> Bool { one.compare(other) == .orderedSame }

  /// Equal numbers have the same nearest floating-point number, whatever their types.
  package func hash(into hasher: inout Hasher) { hasher.combine(double) }
}

extension ComparisonResult {
  /// The opposite order.
  package var reversed: ComparisonResult {
    switch self {
    case .orderedAscending: .orderedDescending
    case .orderedSame: .orderedSame
    case .orderedDescending: .orderedAscending
    }
  }
}
