public import Foundation

/// A description of an attribute whose value the store computes from other properties when it saves.
// Sendable: as its superclass.
open class NSDerivedAttributeDescription: NSAttributeDescription, @unchecked Sendable {
  /// A condition on the related objects that take part in a derivation over a relationship.
  open var filteringPredicate: NSPredicate? { willSet { requireEditable() } }
}
