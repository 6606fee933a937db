import ManagedObjectModel
import ObjectRows

/// The model's facts for setting a to-one relationship, found once for a layout.
///
/// Properties and entities have weak references, so retaining one for each object is slow.
struct ToOnePlan {
  /// The relationship, which the layout retains.
  @safe unowned(unsafe) let relationship: NSRelationshipDescription
  /// The index of the declared destination's layout.
  let destinationIndex: Int
  /// The ordinal of the inverse in rows of the destination.
  let inverse: Int

  /// Creates the plan; nil unless the property is to-one and has an unordered to-many inverse.
  init?(_ property: NSPropertyDescription) {
    guard let relationship = property as? NSRelationshipDescription, !relationship.isToMany,
      let entity = relationship.destinationEntity, entity.model != nil,
      let inverse = relationship.inverseRelationship
    else { return nil }
    let destination = RowLayout.layout(of: entity)
    guard let ordinal = destination.ordinal(of: inverse.name),
      destination.memberKinds[ordinal] == .unordered
    else { return nil }
    (self.relationship, destinationIndex) = (relationship, destination.index)
    self.inverse = ordinal
  }
}

extension NSManagedObject {
  /// Sets a to-one relationship and updates the inverse.
  ///
  /// Returns false if the property must be set by name.
  final func relate(_ ordinal: Int, to object: NSManagedObject?) -> Bool {
    guard let plan = layout.blueprint.toOnePlans[ordinal] else { return false }
    guard let object, object.isPlannedDestination(plan, of: self) else { return false }
    let former = destination(ordinal)
    setDestination(object, ordinal, beginChange(of: ordinal))
    guard former !== object else { return true }
    former?.removeFromInverse(self, plan.relationship)
    object.beginChange(of: plan.inverse)
    _ = object.knownMembers(plan.inverse).add(self)
    object.notifyDidSet(plan.inverse)
    return true
  }

  /// Whether the object is of the planned entity itself, and in the other object's context.
  ///
  /// Layouts of one context are of one model, so that their indexes identify them.
  @inline(__always)
  private final func isPlannedDestination(_ plan: ToOnePlan, of object: NSManagedObject) -> Bool {
    guard let heldRegistry, unsafe heldRegistry.toOpaque() == object.heldRegistry?.toOpaque() else {
      return false
    }
    return layoutIndex == plan.destinationIndex
  }
}
