import Foundation
package import ManagedObjectModel
import ManagedObjects
import ObjectRows

extension MirrorAttribute {
  /// Converts a value from key-value coding.
  ///
  /// - Throws: The transformer's error, or an error if the value does not have the attribute's
  ///   type.
  package func value(of any: Any?) throws -> MirrorValue {
    guard let any, !isNull(any) else { return .null }
    if let file = any as? BorrowedFile { return .file(file) }
    if type == .transformableAttributeType {
      return try AttributeTransformer(description).encode(any).map { .data($0) } ?? .null
    }
    guard let value = MirrorValue(any, as: type) else {
      throw cocoaError(
        NSCoreDataError,
        "\(description.declaringEntity?.name ?? "").\(key) holds a value of the type \(Swift.type(of: any)), which the attribute cannot hold.",
        [NSValidationKeyErrorKey: key])
    }
    return value
  }

  /// Converts a value to the form that objects hold.
  package func objectValue(_ value: MirrorValue) throws -> Any? {
    guard type == .transformableAttributeType else { return try value.object(as: type) }
    guard let data = try value.object(as: .binaryDataAttributeType) as? Data else { return nil }
    return try AttributeTransformer(description).decode(data)
  }
}

extension MirrorValue {
  /// Creates the substitute for a value that a record lacks.
  ///
  /// Null if the attribute is optional; otherwise its default, or else zero or an empty value.
  init(substituteOf attribute: NSAttributeDescription) {
    guard !attribute.isOptional else {
      self = .null
      return
    }
    let given = attribute.defaultValue.flatMap { MirrorValue($0, as: attribute.attributeType) }
    self = given ?? Self.neutral(attribute.attributeType)
  }

  /// The zero or empty value of a type; null if the type has none.
  private static func neutral(_ type: NSAttributeType) -> MirrorValue {
    switch type {
    case .integer16AttributeType, .integer32AttributeType, .integer64AttributeType: .integer(0)
    case .booleanAttributeType: .boolean(false)
    case .doubleAttributeType: .double(0)
    case .floatAttributeType: .float(0)
    case .decimalAttributeType: .decimal(0)
    case .stringAttributeType: .string("")
    case .dateAttributeType: .date(Date(timeIntervalSinceReferenceDate: 0))
    case .binaryDataAttributeType: .data(Data())
    case .UUIDAttributeType: .uuid(UUID(uuid: (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0)))
    default: .null
    }
  }

  /// Converts a value from key-value coding; nil if it does not have the type.
  package init?(_ any: Any, as type: NSAttributeType) {
    let value: MirrorValue? =
      switch type {
      case .integer16AttributeType, .integer32AttributeType, .integer64AttributeType:
        (any as? NSNumber).map { .integer($0.int64Value) }
      case .booleanAttributeType: (any as? NSNumber).map { .boolean($0.boolValue) }
      case .doubleAttributeType: (any as? NSNumber).map { .double($0.doubleValue) }
      case .floatAttributeType: (any as? NSNumber).map { .float($0.floatValue) }
      case .decimalAttributeType:
        (any as? Decimal ?? (any as? NSNumber)?.decimalValue).map { .decimal($0) }
      case .stringAttributeType: (any as? String).map { .string($0) }
      case .dateAttributeType: (any as? Date).map { .date($0) }
      case .binaryDataAttributeType: (any as? Data).map { .data($0) }
      case .UUIDAttributeType: (any as? UUID).map { .uuid($0) }
      case .URIAttributeType: (any as? URL).map { .uri($0) }
      default: nil
      }
    guard let value else { return nil }
    self = value
  }

  /// The value in the form that objects hold; a number is an `NSNumber` of the attribute's size.
  package func object(as type: NSAttributeType) throws -> Any? {
    switch self {
    case .null: nil
    case .integer(let number) where type == .integer16AttributeType:
      NSNumber(value: Int16(truncatingIfNeeded: number))
    case .integer(let number) where type == .integer32AttributeType:
      NSNumber(value: Int32(truncatingIfNeeded: number))
    case .integer(let number): NSNumber(value: number)
    case .boolean(let value): NSNumber(value: value)
    case .double(let number): NSNumber(value: number)
    case .float(let number): NSNumber(value: number)
    case .decimal(let number): NSDecimalNumber(decimal: number)
    case .string(let text): text
    case .date(let date): date
    case .data(let data): data
    case .file(let file): try file.mapped()
    case .uuid(let identifier): identifier
    case .uri(let url): url
    }
  }
}
