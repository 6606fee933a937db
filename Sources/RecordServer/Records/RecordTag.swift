/// The text of a record's tag: its number in base 36, as clients know it.
enum RecordTag {
  static func text(_ tag: UInt64) -> String {
    var digits = [UInt8](repeating: 0, count: mostDigits)
    var (rest, start) = (tag, mostDigits)
    repeat {
      start -= 1
      let digit = UInt8(rest % 36)
      digits[start] = digit < 10 ? UInt8(ascii: "0") + digit : UInt8(ascii: "a") + digit - 10
      rest /= 36
    } while rest > 0
    return String(decoding: digits[start...], as: UTF8.self)
  }

  /// What 64 bits have.
  private static let mostDigits = 13
}
