import Foundation
import ManagedObjectModel

/// The texts of values that Apple's fields cannot hold exactly, for a second field of ours.
///
/// | value | text |
/// |---|---|
/// | a date that is no whole number of milliseconds, or too far for one | seconds since 2001 |
/// | a decimal that no double is equal to | the decimal |
/// | an infinite double or float, or NaN | `inf`, `-inf`, `nan` |
extension MirrorValue {
  /// The text of the exact value; nil if the field holds the value exactly.
  var exactText: String? {
    switch self {
    case .date(let date):
      if case .milliseconds(let number)? = inRecord,
        Date(timeIntervalSince1970: Double(number) / 1_000) == date
      {
        nil
      } else {
        "\(date.timeIntervalSinceReferenceDate)"
      }
    case .double(let number): number.isFinite ? nil : Self.text(number)
    case .float(let number): number.isFinite ? nil : Self.text(Double(number))
    case .decimal(let number):
      if case .double(let nearest)? = inRecord, Decimal(string: "\(nearest)", locale: nil) == number
      {
        nil
      } else {
        number.isNaN ? "nan" : "\(number)"
      }
    default: nil
    }
  }

  /// Every NaN has the same text.
  private static func text(_ number: Double) -> String { number.isNaN ? "nan" : "\(number)" }

  /// Creates the value of a text; nil if no exact value of the type has this text.
  init?(exactText text: String, as type: NSAttributeType) {
    switch type {
    case .dateAttributeType:
      guard let seconds = Double(text), !seconds.isNaN else { return nil }
      self = .date(Date(timeIntervalSinceReferenceDate: seconds))
    case .doubleAttributeType:
      guard let number = Double(text), !number.isFinite else { return nil }
      self = .double(number)
    case .floatAttributeType:
      guard let number = Float(text), !number.isFinite else { return nil }
      self = .float(number)
    case .decimalAttributeType:
      guard let number = text == "nan" ? Decimal.nan : Decimal(string: text, locale: nil) else {
        return nil
      }
      self = .decimal(number)
    default: return nil
    }
  }
}
