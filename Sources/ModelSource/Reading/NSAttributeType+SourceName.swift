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

  /// The names that a data model may use, for messages.
  static var sourceNames: String { typesBySourceName.keys.sorted().joined(separator: ", ") }
}
