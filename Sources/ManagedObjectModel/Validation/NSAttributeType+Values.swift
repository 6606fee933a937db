import Foundation

extension NSAttributeType {
  /// Why a value does not have this type, as the end of a sentence; nil if it does.
  package func problem(withValue value: Any) -> String? {
    switch self {
    case .undefinedAttributeType, .transformableAttributeType, .objectIDAttributeType: nil
    case .integer16AttributeType:
      integerProblem(value, lowest: Int64(Int16.min), highest: Int64(Int16.max))
    case .integer32AttributeType:
      integerProblem(value, lowest: Int64(Int32.min), highest: Int64(Int32.max))
    case .integer64AttributeType: integerProblem(value, lowest: .min, highest: .max)
    case .decimalAttributeType, .doubleAttributeType, .floatAttributeType, .booleanAttributeType:
      value as? NSNumber == nil ? "is not a number" : nil
    case .stringAttributeType: value as? String == nil ? "is not a text" : nil
    case .dateAttributeType: value as? Date == nil ? "is not a date" : nil
    case .binaryDataAttributeType: value as? Data == nil ? "is not binary data" : nil
    case .UUIDAttributeType: value as? UUID == nil ? "is not a UUID" : nil
    case .URIAttributeType: value as? URL == nil ? "is not a URI" : nil
    case .compositeAttributeType: value as? [String: Any] == nil ? "is not a dictionary" : nil
    }
  }

  private func integerProblem(_ value: Any, lowest: Int64, highest: Int64) -> String? {
    guard let number = value as? NSNumber else { return "is not a number" }
    return (lowest...highest).contains(number.int64Value)
      ? nil : "is \(number), but the type is limited to \(lowest) to \(highest)"
  }
}
