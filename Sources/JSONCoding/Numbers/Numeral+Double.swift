extension Numeral {
  /// The nearest double if integers of 128 bits suffice to find it, or nil in the remaining rare
  /// cases.
  ///
  /// The result is correctly rounded. Only the conversion to `Double` rounds, and a sticky bit
  /// represents the dropped bits that are not zero.
  @inline(__always)
  var quickDouble: Double? {
    guard mantissa != 0 else { return isNegative ? -0.0 : 0.0 }
    guard !isTruncated, exponent.magnitude <= PowersOfFive.greatest else { return nil }
    let magnitude =
      exponent == 0
      ? Double(mantissa)
      : exponent > 0 ? multiplied(by: PowersOfFive[exponent]) : divided(by: PowersOfFive[-exponent])
    return isNegative ? -magnitude : magnitude
  }

  /// Returns the mantissa × 5ⁿ × 2ⁿ, where n is the exponent.
  private func multiplied(by power: UInt64) -> Double {
    let (high, low) = mantissa.multipliedFullWidth(by: power)
    guard high != 0 else { return Double(low) * Self.powerOfTwo(exponent) }
    let shift = UInt64(high.leadingZeroBitCount)
    // The upper 64 bits. The lowest one is a sticky bit for all dropped bits, far below the 53
    // significant ones.
    let kept = high << shift | low >> (64 - shift)
    let sticky: UInt64 = low << shift == 0 ? 0 : 1
    return Double(kept | sticky) * Self.powerOfTwo(exponent + 64 - Int(shift))
  }

  /// Returns the mantissa ÷ 5ⁿ ÷ 2ⁿ, where n is the negated exponent.
  private func divided(by power: UInt64) -> Double {
    let mantissaShift = mantissa.leadingZeroBitCount
    let powerShift = power.leadingZeroBitCount
    let dividend = mantissa << UInt64(mantissaShift)
    let divisor = power << UInt64(powerShift)
    // Both have their highest bit set, so the quotient of dividend × 2⁶³ has 63 or 64 bits.
    let (quotient, remainder) = divisor.dividingFullWidth((dividend >> 1, dividend << 63))
    let sticky: UInt64 = remainder == 0 ? 0 : 1
    return Double(quotient | sticky) * Self.powerOfTwo(exponent - 63 + powerShift - mantissaShift)
  }

  /// Returns 2 to the power of an exponent in the range of normal numbers.
  private static func powerOfTwo(_ exponent: Int) -> Double {
    Double(bitPattern: UInt64(exponent + 1023) << 52)
  }
}

/// The powers of five that fit 64 bits.
enum PowersOfFive {
  static let greatest = 27

  private static let table: [UInt64] = (0..<27).reduce(into: [1]) { powers, index in
    powers.append(powers[index] * 5)
  }

  static subscript(exponent: Int) -> UInt64 { table[exponent] }
}
