import Foundation
import ManagedObjectModel
import ObjectRows

/// What lies in the boxed slot of an attribute, seen as the attribute's value.
enum BoxedAttribute {
  /// The value as a row takes it: in a box where the attribute's slot is one.
  static func boxed(_ value: Any, for attribute: NSAttributeDescription) -> Any {
    switch attribute.attributeType {
    case .binaryDataAttributeType where attribute.allowsExternalBinaryDataStorage:
      (value as? Data).map(BinaryValue.init) ?? value
    case .transformableAttributeType, .undefinedAttributeType, .compositeAttributeType,
      .objectIDAttributeType:
      DecodedValue(value)
    default: AttributeValue.normalized(value)
    }
  }
}
