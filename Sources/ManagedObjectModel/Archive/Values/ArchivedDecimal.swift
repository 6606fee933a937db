import Foundation
import PropertyLists

/// A decimal number as `NSDecimalNumber` archives it.
///
/// | key | value |
/// |---|---|
/// | `NS.mantissa` | 8 units of 16 bits, the least significant first |
/// | `NS.mantissa.bo` | the byte order of a unit: 1 little, 2 big |
/// | `NS.length` | the number of significant units |
/// | `NS.exponent` | the power of ten, -128 to 127 |
/// | `NS.negative` | the sign; true with length 0 means not a number |
/// | `NS.compact` | whether the mantissa is not divisible by ten |
enum ArchivedDecimal {
  /// The class name in Apple's archives: a placeholder that decodes as `NSDecimalNumber`.
  static let className = "NSDecimalNumberPlaceholder"

  static func read(_ object: ArchivedObject) throws(ModelArchiveError) -> Decimal {
    let length = try object.integer("NS.length", in: 0...8)
    let exponent = try object.integer("NS.exponent") ?? 0
    let isNegative = try object.flag("NS.negative")
    guard length > 0 else { return isNegative ? Decimal.nan : Decimal(0) }
    guard let bytes = try object.data("NS.mantissa"), bytes.count == 16,
      (-128...127).contains(exponent)
    else {
      throw object.error(
        .contradiction, "A decimal number has a mantissa of 16 bytes and an exponent of one byte.")
    }
    let isBigEndian = try object.integer("NS.mantissa.bo") == 2
    var mantissa: UInt128 = 0
    for unit in (0..<length).reversed() {
      let (first, second) = (UInt128(bytes[2 * unit]), UInt128(bytes[2 * unit + 1]))
      mantissa = mantissa << 16 | (isBigEndian ? first << 8 | second : second << 8 | first)
    }
    guard let decimal = Decimal(string: "\(isNegative ? "-" : "")\(mantissa)e\(exponent)") else {
      throw object.error(.contradiction, "The mantissa and the exponent are not a decimal number.")
    }
    return decimal
  }

  /// The keys of a decimal number; nil if the archived form cannot represent it.
  static func fields(of decimal: Decimal) -> [String: PropertyList]? {
    guard let mantissa = decimal.isNaN ? 0 : UInt128("\(decimal.significand.magnitude)") else {
      return nil
    }
    let units = (0..<8).map { UInt16(truncatingIfNeeded: mantissa >> UInt128(16 * $0)) }
    let length = (units.lastIndex { $0 != 0 }).map { $0 + 1 } ?? 0
    return [
      "NS.mantissa": .data(units.flatMap { [UInt8($0 & 0xFF), UInt8($0 >> 8)] }),
      "NS.mantissa.bo": .integer(1),
      "NS.length": .integer(Int128(length)),
      "NS.exponent": .integer(decimal.isNaN ? 0 : Int128(decimal.exponent)),
      "NS.negative": .boolean(decimal.isNaN || decimal < 0),
      "NS.compact": .boolean(false),
    ]
  }
}
