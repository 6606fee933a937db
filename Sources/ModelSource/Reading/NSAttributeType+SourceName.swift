package import ManagedObjectModel

extension NSAttributeType {
  /// The types by their names in data models.
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

  /// The type with a name in data models.
  package init?(sourceName: String) {
    guard let type = Self.typesBySourceName[sourceName] else { return nil }
    self = type
  }

  /// The valid names, for messages.
  static var sourceNames: String { typesBySourceName.keys.sorted().joined(separator: ", ") }
}
