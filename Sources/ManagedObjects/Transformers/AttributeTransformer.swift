import Foundation
import ManagedObjectModel

/// How the values of a transformable attribute become bytes and come back.
struct AttributeTransformer {
  let attribute: NSAttributeDescription

  init(_ attribute: NSAttributeDescription) { self.attribute = attribute }

  /// The value that bytes of the store stand for.
  func decode(_ data: Data) throws -> Any? {
    try NSKeyedUnarchiver.unarchiveTopLevelObjectWithData(data)
  }
}
