public import Foundation
import ManagedObjectModel
import ObjectRows

extension NSManagedObject {
  /// The bytes of an attribute of binary data, or those that a store keeps for the value of a
  /// transformable one.
  ///
  /// Parhelion's addition.
  ///
  /// The value of an attribute with external storage whose file is missing reads as nil through its
  /// accessor, so that the rest of the object can be used. This method tells such a value from one
  /// that was never set. A transformable attribute whose bytes cannot be made a value of, as those
  /// of a class that only another platform has, stops the program when it is read through its
  /// accessor; its bytes can be read here.
  ///
  /// - Throws: A `CocoaError` that names the file that cannot be read, or the value that cannot be
  ///   transformed.
  /// - Precondition: The entity has an attribute of this name, and its values are binary data or
  ///   transformable.
  public final func binaryData(forKey key: String) throws -> Data? {
    guard let ordinal = layout.ordinal(of: key),
      let attribute = layout.properties[ordinal] as? NSAttributeDescription,
      [.binaryDataAttributeType, .transformableAttributeType].contains(attribute.attributeType)
    else {
      preconditionFailure(
        "\(entityName) has no attribute \(key) of binary data or of transformable values.")
    }
    prepareAccess()
    let slot = layout.slots[ordinal]
    guard slot.kind == .boxed else { return currentValue(ordinal) as? Data }
    switch slot.load(from: row, as: BoxedValue?.self) {
    case let external as ExternalValue:
      return try throwingPublicErrors { try external.readableData() }
    case let binary as BinaryValue: return binary.data
    case let encoded as EncodedValue: return encoded.data
    case let decoded as DecodedValue:
      return try AttributeTransformer(attribute).encode(decoded.value)
    default: return nil
    }
  }
}
