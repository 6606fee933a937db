public import Foundation
import ManagedObjectModel
import ObjectRows

extension NSManagedObject {
  /// The bytes of an attribute of binary data, or an error where they lie in a file that cannot be read.
  ///
  /// Parhelion's addition.
  ///
  /// The value of an attribute with external storage whose file is missing reads as nil through its accessor, so that
  /// the rest of the object can be used. This method tells such a value from one that was never set.
  ///
  /// - Throws: A `CocoaError` that names the file.
  /// - Precondition: The entity has an attribute of this name, and its values are binary data.
  public final func binaryData(forKey key: String) throws -> Data? {
    guard let ordinal = layout.ordinal(of: key), let attribute = layout.properties[ordinal] as? NSAttributeDescription,
      attribute.attributeType == .binaryDataAttributeType
    else { preconditionFailure("\(entity.name ?? "The entity") has no attribute \(key) of binary data.") }
    prepareAccess()
    let slot = layout.slots[ordinal]
    guard slot.kind == .boxed, let external = slot.load(from: row, as: BoxedValue?.self) as? ExternalValue
    else {
      return currentValue(ordinal) as? Data
    }
    return try throwingPublicErrors { try external.readableData() }
  }
}
