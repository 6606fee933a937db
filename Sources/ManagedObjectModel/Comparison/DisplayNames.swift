extension NSAttributeType {
  /// The type's name in the data modeler.
  package var displayName: String {
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
    case .binaryDataAttributeType: "Binary Data"
    case .UUIDAttributeType: "UUID"
    case .URIAttributeType: "URI"
    case .transformableAttributeType: "Transformable"
    case .objectIDAttributeType: "Object ID"
    case .compositeAttributeType: "Composite"
    }
  }
}

extension NSDeleteRule {
  /// The rule's name in the data modeler.
  package var displayName: String {
    switch self {
    case .noActionDeleteRule: "No Action"
    case .nullifyDeleteRule: "Nullify"
    case .cascadeDeleteRule: "Cascade"
    case .denyDeleteRule: "Deny"
    }
  }
}
