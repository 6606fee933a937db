import Foundation

/// A description of a relationship from one entity to another.
///
/// The destination and the inverse are weak references: the model owns both.
// Sendable: as its superclass.
open class NSRelationshipDescription: NSPropertyDescription, @unchecked Sendable {
  private weak var destination: NSEntityDescription?
  private weak var inverse: NSRelationshipDescription?

  /// The entity of the related objects.
  open var destinationEntity: NSEntityDescription? {
    get { destination }
    set {
      requireEditable()
      destination = newValue
    }
  }

  /// The relationship in the other direction.
  open var inverseRelationship: NSRelationshipDescription? {
    get { inverse }
    set {
      requireEditable()
      inverse = newValue
    }
  }

  /// The greatest number of related objects.
  ///
  /// 0 means that there is no limit, 1 makes the relationship to-one.
  open var maxCount = 0 { willSet { requireEditable() } }

  /// The least number of related objects of a relationship that has any.
  open var minCount = 0 { willSet { requireEditable() } }

  /// What happens to the related objects when the object is deleted.
  open var deleteRule = NSDeleteRule.nullifyDeleteRule { willSet { requireEditable() } }

  /// Whether there can be more than one related object.
  open var isToMany: Bool { maxCount != 1 }

  /// Whether the related objects keep an order.
  open var isOrdered = false { willSet { requireEditable() } }
}
