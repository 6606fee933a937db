import Foundation

/// Parses the values in model source.
///
/// Numbers are in the C locale.
enum SourceValue {
  static func flag(_ text: String) -> Bool? {
    switch text.lowercased() {
    case "yes", "true", "1": true
    case "no", "false", "0": false
    default: nil
    }
  }

  /// A whole number.
  ///
  /// A zero fraction such as `1.0` is accepted: the data modeler writes it after a change of type.
  static func integer(_ text: String) -> Int64? {
    if let number = Int64(text) { return number }
    guard let number = decimal(text),
      let whole = Int64(exactly: NSDecimalNumber(decimal: number).rounded)
    else {
      return nil
    }
    return Decimal(whole) == number ? whole : nil
  }

  /// A finite number.
  static func double(_ text: String) -> Double? {
    guard isDecimalNotation(text), let number = Double(text), number.isFinite else { return nil }
    return number
  }

  /// A decimal number, without rounding.
  static func decimal(_ text: String) -> Decimal? {
    guard isDecimalNotation(text),
      let number = Decimal(string: text, locale: Locale(identifier: "en_US_POSIX"))
    else {
      return nil
    }
    return number.isNaN ? nil : number
  }

  /// Whether the text is only digits with an optional sign, fraction and exponent.
  private static func isDecimalNotation(_ text: String) -> Bool {
    text.wholeMatch(of: /[+-]?([0-9]+(\.[0-9]*)?|\.[0-9]+)([eE][+-]?[0-9]{1,4})?/) != nil
  }
}

extension NSDecimalNumber {
  /// The nearest double, which is exact for whole numbers up to 2^53.
  fileprivate var rounded: Double { doubleValue }
}
