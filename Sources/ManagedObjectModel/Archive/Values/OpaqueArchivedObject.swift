package import Foundation
package import PropertyLists

/// An archived object of an unknown class, such as the default value of a transformable attribute.
///
/// It keeps all of the object's keys, so that a model is written as it was read. Instances are
/// immutable.
package final class OpaqueArchivedObject: NSObject, Sendable {
  /// The value of a key of the object.
  package indirect enum Field: Hashable, Sendable {
    case none
    case scalar(PropertyList)
    case object(OpaqueArchivedObject)
    case array([Field])
  }

  package let className: String
  /// The class and its superclasses.
  package let lineage: [String]
  package let fields: [String: Field]

  init(className: String, lineage: [String], fields: [String: Field]) {
    self.className = className
    self.lineage = lineage
    self.fields = fields
    super.init()
  }

  /// Whether the other object has the same class, superclasses, keys and values.
  package override func isEqual(_ object: Any?) -> Bool {
    guard let other = object as? OpaqueArchivedObject else { return false }
    return other === self
      || (className == other.className && lineage == other.lineage && fields == other.fields)
  }

  package override var hash: Int { className.hashValue }
}
