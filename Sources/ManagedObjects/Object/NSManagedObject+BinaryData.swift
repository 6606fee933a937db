public import Foundation
import ManagedObjectModel
import ObjectRows

extension NSManagedObject {
  /// Returns the bytes of a binary attribute, or the stored bytes of a transformable attribute.
  ///
  /// This method is Parhelion's addition.
  ///
  /// If the external file of a value is missing, its accessor returns nil, so that the rest of the
  /// object can be used. This method distinguishes such a value from one that was never set. If the
  /// bytes of a transformable attribute cannot be decoded, for example because their class exists
  /// only on another platform, the accessor stops the program. This method returns the bytes.
  ///
  /// - Throws: A `CocoaError` that names the file that cannot be read, or the value that cannot be
  ///   transformed.
  /// - Precondition: The entity has a binary or transformable attribute with this name.
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
