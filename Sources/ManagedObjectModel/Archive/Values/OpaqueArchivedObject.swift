package import Foundation
package import PropertyLists

/// An archived object of a class that is not known here, such as the default value of a
/// transformable attribute.
///
/// It keeps everything that the archive says of the object, so that a model is written back as it
/// was read. Instances never change.
package final class OpaqueArchivedObject: NSObject, Sendable {
  /// What a key of the object holds.
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

  /// Whether the other says the same.
  package override func isEqual(_ object: Any?) -> Bool {
    guard let other = object as? OpaqueArchivedObject else { return false }
    return other === self
      || (className == other.className && lineage == other.lineage && fields == other.fields)
  }

  package override var hash: Int { className.hashValue }
}
