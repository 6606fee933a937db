import Foundation
import ManagedObjectModel

/// The internal form of attribute values.
enum AttributeValue {
  /// Converts numbers to `NSNumber`, and Foundation's reference types to Swift values.
  static func normalized(_ value: Any) -> Any {
    // A cast to a class would copy data into an object.
    if type(of: value) == Data.self { return value }
    return switch value {
    case let number as NSNumber: number
    case let decimal as Decimal: NSDecimalNumber(decimal: decimal)
    case let text as String: text
    case let date as Date: date
    case let data as Data: data
    case let identifier as UUID: identifier
    case let url as URL: url
    default: value
    }
  }

  /// Whether a normalized value has the type's class.
  ///
  /// Types without a class accept any value.
  static func fits(_ value: Any, _ type: NSAttributeType) -> Bool {
    switch type {
    case .integer16AttributeType, .integer32AttributeType, .integer64AttributeType,
      .doubleAttributeType,
      .floatAttributeType, .booleanAttributeType:
      value is NSNumber
    case .decimalAttributeType: value is NSDecimalNumber
    case .stringAttributeType: value is String
    case .dateAttributeType: value is Date
    case .binaryDataAttributeType: value is Data
    case .UUIDAttributeType: value is UUID
    case .URIAttributeType: value is URL
    case .compositeAttributeType: value is [String: Any]
    case .undefinedAttributeType, .transformableAttributeType, .objectIDAttributeType: true
    }
  }
}
