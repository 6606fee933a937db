import ManagedObjectModel
import ObjectRows

/// The work that the delete rules of an entity require.
final class DeletePlan {
  struct Step {
    let relationship: NSRelationshipDescription
    let ordinal: Int
  }

  /// The relationships with the rule Cascade.
  let cascades: [Step]
  /// The relationships whose inverses are cleared in objects that are not deleted.
  let nullified: [Step]
  /// The to-many relationships whose members must be loaded.
  let toMany: [Step]
  /// Whether the object's row must be loaded.
  let needsRows: Bool

  /// Creates the plan of an entity.
  ///
  /// - Parameter denies: Whether the rule Deny is checked when the context saves. If not, it acts
  ///   like Nullify.
  init(_ layout: RowLayout, denies: Bool) {
    let steps = layout.properties.enumerated().compactMap { ordinal, property in
      (property as? NSRelationshipDescription).map { Step(relationship: $0, ordinal: ordinal) }
    }
    cascades = steps.filter { $0.relationship.deleteRule == .cascadeDeleteRule }
    let clearing: [NSDeleteRule] =
      denies
      ? [.nullifyDeleteRule, .cascadeDeleteRule]
      : [.nullifyDeleteRule, .cascadeDeleteRule, .denyDeleteRule]
    nullified = steps.filter {
      clearing.contains($0.relationship.deleteRule) && $0.relationship.inverseRelationship != nil
    }
    let followed = Set((cascades + nullified).map(\.ordinal))
    toMany = steps.filter { followed.contains($0.ordinal) && $0.relationship.isToMany }
    needsRows = steps.contains { followed.contains($0.ordinal) && !$0.relationship.isToMany }
  }
}

/// The delete plans of the entities in one round of deletions.
final class DeletePlans {
  private var plans: [DeletePlan?]
  private let denies: Bool

  /// Creates the collection of a model's plans, each of which is made on first use.
  ///
  /// - Parameter denies: See `DeletePlan`.
  init(layouts: ModelLayouts, denies: Bool) {
    self.denies = denies
    plans = Array(repeating: nil, count: layouts.layouts.count)
  }

  func plan(of layout: RowLayout) -> DeletePlan {
    if let plan = plans[layout.index] { return plan }
    let plan = DeletePlan(layout, denies: denies)
    plans[layout.index] = plan
    return plan
  }
}

/// The delete plans of successive objects.
///
/// Most objects have the entity of the object before.
struct RunningDeletePlan {
  private let plans: DeletePlans
  private var layout: RowLayout?
  private var plan: DeletePlan?

  init(_ plans: DeletePlans) { self.plans = plans }

  @inline(__always)
  mutating func of(_ object: NSManagedObject) -> DeletePlan {
    if let plan, object.hasLayout(layout) { return plan }
    let found = plans.plan(of: object.layout)
    (layout, plan) = (object.layout, found)
    return found
  }
}
