package import ManagedObjectModel

extension NSAttributeType {
  /// The types by the names that data models use for them.
  private static let typesBySourceName: [String: NSAttributeType] = [
    "Integer 16": .integer16AttributeType,
    "Integer 32": .integer32AttributeType,
    "Integer 64": .integer64AttributeType,
    "Decimal": .decimalAttributeType,
    "Double": .doubleAttributeType,
    "Float": .floatAttributeType,
    "String": .stringAttributeType,
    "Boolean": .booleanAttributeType,
    "Date": .dateAttributeType,
    "Binary": .binaryDataAttributeType,
    "Binary Data": .binaryDataAttributeType,
    "UUID": .UUIDAttributeType,
    "URI": .URIAttributeType,
    "Transformable": .transformableAttributeType,
    "Composite": .compositeAttributeType,
    "Undefined": .undefinedAttributeType,
  ]

  /// The type that a data model calls by a name.
  package init?(sourceName: String) {
    guard let type = Self.typesBySourceName[sourceName] else { return nil }
    self = type
  }

  /// The name that data models use for the type.
  package var sourceName: String {
    switch self {
    case .undefinedAttributeType: "Undefined"
    case .integer16AttributeType: "Integer 16"
    case .integer32AttributeType: "Integer 32"
    case .integer64AttributeType: "Integer 64"
    case .decimalAttributeType: "Decimal"
    case .doubleAttributeType: "Double"
    case .floatAttributeType: "Float"
    case .stringAttributeType: "String"
    case .booleanAttributeType: "Boolean"
    case .dateAttributeType: "Date"
    case .binaryDataAttributeType: "Binary"
    case .UUIDAttributeType: "UUID"
    case .URIAttributeType: "URI"
    case .transformableAttributeType: "Transformable"
    case .objectIDAttributeType: "Object ID"
    case .compositeAttributeType: "Composite"
    }
  }

  /// The names that a data model may use, for messages.
  static var sourceNames: String { typesBySourceName.keys.sorted().joined(separator: ", ") }
}
