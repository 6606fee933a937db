import ManagedObjectModel
import ObjectRows

/// What the delete rules of an entity ask for.
final class DeletePlan {
  struct Step {
    let relationship: NSRelationshipDescription
    let ordinal: Int
  }

  /// The relationships whose destinations are deleted too.
  let cascades: [Step]
  /// The relationships whose inverses are cleared where the destinations stay.
  let nullified: [Step]
  /// The to-many relationships whose members must be known.
  let toMany: [Step]
  /// Whether values of the row must be known.
  let needsRows: Bool

  /// - Parameter denies: Whether a rule that denies is asked when the context saves; else the
  ///   destinations are cleared.
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

/// The plans of the entities that one round of deletions meets.
final class DeletePlans {
  private var plans: [DeletePlan?]
  private let denies: Bool

  /// - Parameter denies: As `DeletePlan` says.
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

/// The delete plan of one object after the other, most of which are of the same entity as the one
/// before.
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
