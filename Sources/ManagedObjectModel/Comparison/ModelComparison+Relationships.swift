extension ModelComparison {
  mutating func compareRelationship(
    _ before: NSRelationshipDescription, _ after: NSRelationshipDescription
  ) {
    let name = after.name
    let hashed = before.isHashed || after.isHashed
    compare(.optionality, name, before.isOptional, after.isOptional, affectsHash: hashed)
    compareDestination(before, after)
    compareCardinality(before, after)
    compare(.ordering, name, before.isOrdered, after.isOrdered, affectsHash: hashed)
    compare(
      .inverse, name, before.inverseRelationship?.name, after.inverseRelationship?.name,
      affectsHash: hashed
    ) { $0 ?? "none" }
    compare(.deleteRule, name, before.deleteRule, after.deleteRule) { $0.displayName }
  }

  private mutating func compareDestination(
    _ before: NSRelationshipDescription, _ after: NSRelationshipDescription
  ) {
    let former = after.destinationEntity.flatMap { entities.source(of: $0) }
    let (old, new) = (
      before.destinationEntity?.name ?? "none", after.destinationEntity?.name ?? "none"
    )
    if former === before.destinationEntity {
      compare(.destination, after.name, old, new, affectsHash: true) { $0 }
    } else {
      record(
        .destination, after.name, from: old, to: new, affectsHash: true,
        nonLightweightReason:
          "\(new) is not the renamed \(old), so the related objects are not known.")
    }
  }

  private mutating func compareCardinality(
    _ before: NSRelationshipDescription, _ after: NSRelationshipDescription
  ) {
    if before.isToMany != after.isToMany {
      record(
        .cardinality, after.name, from: before.isToMany ? "to-many" : "to-one",
        to: after.isToMany ? "to-many" : "to-one", affectsHash: true,
        nonLightweightReason: after.isToMany
          ? nil : "Which of the related objects to keep cannot be inferred.")
      return
    }
    let limits = { (relationship: NSRelationshipDescription) in
      "\(relationship.minCount)…\(relationship.maxCount == 0 ? "∞" : String(relationship.maxCount))"
    }
    compare(.countLimits, after.name, limits(before), limits(after), affectsHash: true) { $0 }
  }
}
