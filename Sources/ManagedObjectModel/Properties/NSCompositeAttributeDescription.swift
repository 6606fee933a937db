import Foundation

/// A description of an attribute that is a group of named attributes.
// Sendable: as its superclass.
open class NSCompositeAttributeDescription: NSAttributeDescription, @unchecked Sendable {
  /// The attributes of the group.
  ///
  /// They may be groups themselves.
  open var elements: [NSAttributeDescription] = [] { willSet { requireEditable() } }

  /// Creates a composite attribute without elements.
  public override init() {
    super.init()
    attributeType = .compositeAttributeType
  }
}
