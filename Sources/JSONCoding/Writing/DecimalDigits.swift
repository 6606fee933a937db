/// The decimal digits of integers.
enum DecimalDigits {
  /// The maximum number of bytes of a 64-bit integer.
  static let most = 20

  /// The digits of the numbers from 0 to 99.
  static let pairs: StaticString = """
    0001020304050607080910111213141516171819202122232425262728293031323334353637383940414243444546474849\
    5051525354555657585960616263646566676869707172737475767778798081828384858687888990919293949596979899
    """

  /// Returns the number of digits of an integer.
  @inline(__always)
  static func count(of value: UInt64) -> Int {
    var (count, rest) = (1, value)
    while rest >= 10_000 {
      rest /= 10_000
      count &+= 4
    }
    return count &+ (rest >= 10 ? 1 : 0) &+ (rest >= 100 ? 1 : 0) &+ (rest >= 1_000 ? 1 : 0)
  }
}
