import Foundation
import ManagedObjectModel

/// Values as SQL literals.
enum SQLLiteral {
  static func text(_ text: String) -> String { "'\(text.replacing("'", with: "''"))'" }

  static func blob(_ bytes: some Sequence<UInt8>) -> String {
    let digits = Array("0123456789ABCDEF".utf8)
    let hex = bytes.flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 0xF)]] }
    return "x'\(String(decoding: hex, as: UTF8.self))'"
  }

  static func real(_ value: Double) -> String { value.isFinite ? "\(value)" : "NULL" }

  /// The literal of a decimal.
  ///
  /// It is the text of the `Decimal`, because that of an `NSNumber` may follow the locale.
  private static func decimal(_ number: NSNumber) -> String {
    guard number is NSDecimalNumber else { return real(number.doubleValue) }
    let decimal = number.decimalValue
    return decimal.isNaN ? "NULL" : decimal.description
  }

  /// The literal of an attribute's default value, or nil if there is none or the column cannot hold
  /// it.
  static func defaultValue(of attribute: NSAttributeDescription) -> String? {
    guard let value = attribute.defaultValue else { return nil }
    switch attribute.attributeType {
    case .integer16AttributeType, .integer32AttributeType, .integer64AttributeType:
      return (value as? NSNumber).map { "\($0.int64Value)" }
    case .booleanAttributeType: return (value as? NSNumber).map { $0.boolValue ? "1" : "0" }
    case .doubleAttributeType, .floatAttributeType:
      return (value as? NSNumber).map { real($0.doubleValue) }
    case .decimalAttributeType: return (value as? NSNumber).map(decimal)
    case .stringAttributeType: return (value as? String).map(text)
    case .dateAttributeType: return (value as? Date).map { real($0.timeIntervalSinceReferenceDate) }
    case .URIAttributeType: return (value as? URL).map { text($0.absoluteString) }
    case .UUIDAttributeType:
      return (value as? UUID).map { id in
        unsafe blob(withUnsafeBytes(of: id.uuid) { unsafe Array($0) })
      }
    case .binaryDataAttributeType:
      return (value as? Data).map {
        blob((attribute.allowsExternalBinaryDataStorage ? [1] : []) + $0)
      }
    case .transformableAttributeType, .undefinedAttributeType, .objectIDAttributeType,
      .compositeAttributeType:
      return nil
    }
  }
}
