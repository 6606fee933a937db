import Foundation
import ManagedObjectModel
import ObjectRows

/// Converts the values of an attribute to and from those of a document, without loss.
struct AttributeText {
  let attribute: NSAttributeDescription

  // MARK: Writing

  /// The value in a document; nil for no value.
  ///
  /// - Throws: An error if a document cannot contain the value.
  func documentValue(_ value: Any?) throws -> DocumentValue? {
    guard let value, !isNull(value) else { return nil }
    if let box = value as? BoxedValue { return try documentValue(box) }
    let type = attribute.attributeType
    if type == .transformableAttributeType {
      return try AttributeTransformer(attribute).encode(value).map { data($0, "transformable") }
    }
    switch AttributeValue.normalized(value) {
    case let number as NSNumber: return text(Self.text(number, type), Self.name(of: type))
    case let string as String: return text(string, "string")
    case let date as Date: return text("\(date.timeIntervalSinceReferenceDate)", "date")
    case let bytes as Data: return data(bytes, "binary")
    case let identifier as UUID: return text(identifier.uuidString, "uuid")
    case let url as URL: return text(url.absoluteString, "uri")
    default: throw unsupported(value)
    }
  }

  private func documentValue(_ box: BoxedValue) throws -> DocumentValue? {
    switch box {
    case let encoded as EncodedValue: return data(encoded.data, "transformable")
    case let binary as BinaryValue: return data(binary.data, "binary")
    case let external as ExternalValue: return data(try external.data(), "binary")
    default: throw unsupported(box)
    }
  }

  private func text(_ text: String, _ type: String) -> DocumentValue {
    DocumentValue(type: type, content: .text(text))
  }

  private func data(_ data: Data, _ type: String) -> DocumentValue {
    DocumentValue(type: type, content: .data(data))
  }

  private static func text(_ number: NSNumber, _ type: NSAttributeType) -> String {
    switch type {
    case .booleanAttributeType: number.boolValue ? "1" : "0"
    case .floatAttributeType: "\(number.floatValue)"
    case .doubleAttributeType: "\(number.doubleValue)"
    case .decimalAttributeType: "\(number.decimalValue)"
    default: "\(number.int64Value)"
    }
  }

  private static func name(of type: NSAttributeType) -> String {
    switch type {
    case .integer16AttributeType: "int16"
    case .integer32AttributeType: "int32"
    case .integer64AttributeType: "int64"
    case .booleanAttributeType: "bool"
    case .floatAttributeType: "float"
    case .decimalAttributeType: "decimal"
    default: "double"
    }
  }

  private func unsupported(_ value: Any) -> StoreError {
    StoreError(
      .incompatibleSchema,
      "Binary and XML stores cannot contain a \(Swift.type(of: value)), the value of "
        + "\(place). Use a SQLite store.",
      context: ["property": attribute.name])
  }

  private var place: String { "\(attribute.entity.name ?? "").\(attribute.name)" }

  // MARK: Reading

  /// The value of the attribute.
  ///
  /// - Throws: An error if the attribute's type has no such value.
  func value(_ value: DocumentValue) throws(DocumentError) -> Any {
    if let read = read(value) { return read }
    throw DocumentError(
      "The file has a value of the type \(value.type) for \(place), which has another type.",
      "Open it with the model that wrote it.")
  }

  private func read(_ value: DocumentValue) -> Any? {
    let type = attribute.attributeType
    switch (type, value.content) {
    case (.binaryDataAttributeType, .data(let data)): return data
    case (.binaryDataAttributeType, .text(let text)): return Self.data(text)
    case (.transformableAttributeType, .data(let data)): return EncodedValue(data)
    case (.transformableAttributeType, .text(let text)):
      return Self.data(text).map(EncodedValue.init)
    case (.stringAttributeType, .text(let text)): return text
    case (_, .text(let text)):
      return Self.value(text.trimmingCharacters(in: .whitespacesAndNewlines), type)
    default: return nil
    }
  }

  private static func data(_ text: String) -> Data? {
    Data(base64Encoded: text, options: .ignoreUnknownCharacters)
  }

  private static func value(_ text: String, _ type: NSAttributeType) -> Any? {
    switch type {
    case .integer16AttributeType: Int16(text).map { NSNumber(value: $0) }
    case .integer32AttributeType: Int32(text).map { NSNumber(value: $0) }
    case .integer64AttributeType: Int64(text).map { NSNumber(value: $0) }
    case .booleanAttributeType: truth[text.lowercased()].map { NSNumber(value: $0) }
    case .floatAttributeType: Float(text).map { NSNumber(value: $0) }
    case .doubleAttributeType: Double(text).map { NSNumber(value: $0) }
    case .decimalAttributeType: decimal(text)
    case .dateAttributeType: Double(text).map { Date(timeIntervalSinceReferenceDate: $0) }
    case .UUIDAttributeType: UUID(uuidString: text)
    case .URIAttributeType: URL(string: text)
    default: nil
    }
  }

  private static let truth = ["1": true, "0": false, "true": true, "false": false]

  private static func decimal(_ text: String) -> Any? {
    if text == "NaN" { return NSDecimalNumber.notANumber }
    return Decimal(string: text, locale: Locale(identifier: "en_US_POSIX")).map {
      NSDecimalNumber(decimal: $0)
    }
  }
}
