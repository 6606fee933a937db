import Foundation
import ManagedObjectModel

/// Parses the default values of attributes.
///
/// They are in the C locale, with dates as seconds since the start of 2001.
///
/// Numbers and Booleans become `NSNumber`, decimals `NSDecimalNumber`; the others are Swift values.
enum DefaultValue {
  /// The default value of an attribute, or nil if it has none.
  static func read(of type: NSAttributeType, with reader: inout ElementReader) -> Any? {
    let interval = reader.nonEmptyText("defaultDateTimeInterval")
    let text = reader.text("defaultValueString")
    if type == .dateAttributeType {
      return readDate(interval ?? text.flatMap { $0.isEmpty ? nil : $0 }, with: reader)
    }
    guard let text else { return nil }
    guard type == .stringAttributeType || !text.isEmpty else { return nil }
    guard hasDefault(type) else {
      reader.warning(
        .contradiction, "defaultValueString",
        "A default value has no meaning for the type \(type.displayName).",
        "Remove it.")
      return nil
    }
    guard let value = value(text, of: type) ?? leftoverBoolean(text, of: type, with: reader) else {
      reader.error(
        .badValue, "defaultValueString", "\"\(text)\" is not \(expectation(of: type)).",
        "Correct the default value.")
      return nil
    }
    return value
  }

  /// Zero for a NO that remains after the type changed from Boolean; otherwise nil.
  ///
  /// The data modeler keeps the text if the type is changed, and applications ship with such
  /// models. NO is zero in every type. YES is ambiguous and remains an error.
  private static func leftoverBoolean(
    _ text: String, of type: NSAttributeType, with reader: ElementReader
  ) -> Any? {
    guard let zero = value("0", of: type), SourceValue.flag(text) == false else { return nil }
    reader.warning(
      .badValue, "defaultValueString",
      "\"\(text)\" is not \(expectation(of: type)) and is read as 0.", "Write 0.")
    return zero
  }

  private static func readDate(_ text: String?, with reader: ElementReader) -> Date? {
    guard let text else { return nil }
    if let seconds = SourceValue.double(text) {
      return Date(timeIntervalSinceReferenceDate: seconds)
    }
    reader.error(
      .badValue, "defaultDateTimeInterval",
      "\"\(text)\" is not a number of seconds since the start of 2001.",
      "Correct the default value.")
    return nil
  }

  private static func value(_ text: String, of type: NSAttributeType) -> Any? {
    switch type {
    case .integer16AttributeType:
      SourceValue.integer(text).flatMap(Int16.init(exactly:)).map(NSNumber.init(value:))
    case .integer32AttributeType:
      SourceValue.integer(text).flatMap(Int32.init(exactly:)).map(NSNumber.init(value:))
    case .integer64AttributeType: SourceValue.integer(text).map(NSNumber.init(value:))
    case .decimalAttributeType: SourceValue.decimal(text).map(NSDecimalNumber.init(decimal:))
    case .doubleAttributeType: SourceValue.double(text).map(NSNumber.init(value:))
    case .floatAttributeType: SourceValue.double(text).map { NSNumber(value: Float($0)) }
    case .booleanAttributeType: SourceValue.flag(text).map(NSNumber.init(value:))
    case .stringAttributeType: text
    case .UUIDAttributeType: UUID(uuidString: text)
    case .URIAttributeType: URL(string: text)
    default: nil
    }
  }

  private static func hasDefault(_ type: NSAttributeType) -> Bool {
    switch type {
    case .binaryDataAttributeType, .transformableAttributeType, .compositeAttributeType: false
    case .undefinedAttributeType, .objectIDAttributeType: false
    default: true
    }
  }

  private static func expectation(of type: NSAttributeType) -> String {
    switch type {
    case .integer16AttributeType: "a whole number from \(Int16.min) to \(Int16.max)"
    case .integer32AttributeType: "a whole number from \(Int32.min) to \(Int32.max)"
    case .integer64AttributeType: "a whole number of 64 bits"
    case .decimalAttributeType, .doubleAttributeType, .floatAttributeType:
      "a number with a point for the fraction"
    case .booleanAttributeType: "YES or NO"
    case .UUIDAttributeType: "a UUID"
    case .URIAttributeType: "a URI"
    default: "a value of the type \(type.displayName)"
    }
  }
}
