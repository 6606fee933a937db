import Foundation
import ManagedObjectModel
import ObjectRows

/// Converts between an attribute's values and its boxed slot.
enum BoxedAttribute {
  /// The value as a row stores it: boxed if the attribute has a boxed slot.
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
