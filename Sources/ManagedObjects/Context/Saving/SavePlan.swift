import ManagedObjectModel
import ObjectRows

/// The properties of an entity that a save must handle.
final class SavePlan {
  struct Box {
    let attribute: NSAttributeDescription
    let ordinal: Int
  }

  /// The to-one relationships that a store persists.
  let toOne: [Int]
  /// The to-many relationships that a store persists apart from its rows.
  let memberships: [MembershipPlan]
  /// The attributes whose values are encoded as bytes.
  let encoded: [Box]
  /// The slots that no store persists.
  let transient: [Int]
  /// The properties whose changes are written to a store.
  let persistent: OrdinalSet
  let hasDerivedAttributes: Bool

  init(_ layout: RowLayout) {
    let properties = layout.properties
    toOne = properties.indices.filter {
      layout.slots[$0].kind == .toOne && layout.slots[$0].isStored
    }
    transient = properties.indices.filter {
      layout.slots[$0].kind != .none && !layout.slots[$0].isStored
    }
    encoded = properties.enumerated().compactMap { ordinal, property in
      guard let attribute = property as? NSAttributeDescription, !attribute.isTransient,
        attribute.attributeType == .transformableAttributeType
      else { return nil }
      return Box(attribute: attribute, ordinal: ordinal)
    }
    memberships = properties.enumerated().compactMap { ordinal, property in
      (property as? NSRelationshipDescription).flatMap { MembershipPlan($0, ordinal) }
    }
    persistent = OrdinalSet(
      properties.indices.filter {
        !properties[$0].isTransient && !(properties[$0] is NSFetchedPropertyDescription)
          && !(properties[$0] is NSDerivedAttributeDescription)
      })
    hasDerivedAttributes = layout.hasDerivedAttributes
  }
}

/// The plan for writing changes of a to-many relationship to a store.
struct MembershipPlan {
  let relationship: NSRelationshipDescription
  let ordinal: Int
  let isManyToMany: Bool
  /// Whether this side of a many-to-many relationship writes the pairs that both sides changed.
  ///
  /// If only one side changed, that side writes the pairs.
  let writesPairs: Bool
  let inverse: NSRelationshipDescription?

  /// Creates the plan, or nil if the rows contain the whole relationship.
  init?(_ relationship: NSRelationshipDescription, _ ordinal: Int) {
    guard relationship.isToMany, !relationship.isTransient else { return nil }
    self.relationship = relationship
    self.ordinal = ordinal
    inverse = relationship.inverseRelationship
    isManyToMany = inverse?.isToMany ?? true
    guard isManyToMany || relationship.isOrdered else { return nil }
    writesPairs = inverse.map { Self.name(relationship) <= Self.name($0) } ?? true
  }

  var isReflexive: Bool { inverse === relationship }

  private static func name(_ relationship: NSRelationshipDescription) -> String {
    "\((relationship.declaringEntity?.name ?? "").lowercased()).\(relationship.name)"
  }
}

/// The plans of the entities in one save.
final class SavePlans {
  private var plans: [SavePlan?]

  init(layouts: ModelLayouts) {
    plans = Array(repeating: nil, count: layouts.layouts.count)
  }

  /// The number of possible plans: one for each layout.
  var count: Int { plans.count }

  func plan(of layout: RowLayout) -> SavePlan {
    if let plan = plans[layout.index] { return plan }
    let plan = SavePlan(layout)
    plans[layout.index] = plan
    return plan
  }
}
