extension ModelComparison {
  /// Compares the two entities' own properties, and finds those that moved along the hierarchy.
  mutating func compareProperties(of before: NSEntityDescription, _ after: NSEntityDescription) {
    let own = Correspondence(
      from: before.ownProperties, to: after.ownProperties, name: \.name,
      identifier: \.storedRenamingIdentifier)
    for (source, destination) in own.pairs { compareProperty(source, destination) }
    for property in own.added {
      if let former = formerProperty(of: property, in: before) {
        let holder = former.declaringEntity?.nameOrEmpty
        record(
          .propertyMoved, property.name, from: holder, to: after.nameOrEmpty,
          affectsHash: property.isHashed)
        compareProperty(former, property)
      } else {
        recordAddition(of: property)
      }
    }
    for property in own.removed {
      if let holder = newAncestor(of: after, declaring: property) {
        record(
          .propertyMoved, property.name, from: before.nameOrEmpty, to: holder.nameOrEmpty,
          affectsHash: property.isHashed)
      } else if !hasMoved(property, from: before, now: after) {
        record(
          .propertyRemoved, property.name, from: property.kindDescription,
          affectsHash: property.isHashed)
      }
    }
  }

  /// The ancestor that is new in the newer model and now declares a property of the entity.
  private func newAncestor(
    of entity: NSEntityDescription, declaring property: NSPropertyDescription
  ) -> NSEntityDescription? {
    entity.lineage.dropFirst().first { ancestor in
      entities.source(of: ancestor) == nil
        && ancestor.ownProperties.contains { property.matches($0) }
    }
  }

  /// The property in the older model, if an ancestor or descendant of the entity declared it.
  private func formerProperty(
    of property: NSPropertyDescription, in entity: NSEntityDescription
  ) -> NSPropertyDescription? {
    let above = entity.lineage.dropFirst()
    let below = source.entities.filter { $0 !== entity && $0.isKindOf(entity: entity) }
    return (above + below).lazy.flatMap(\.ownProperties).first { $0.matches(property) }
  }

  /// Whether an ancestor or descendant in the newer model declares a property that the entity
  /// declared in the older one.
  private func hasMoved(
    _ property: NSPropertyDescription, from before: NSEntityDescription,
    now after: NSEntityDescription
  ) -> Bool {
    let below = destination.entities.filter { entity in
      guard let former = entities.source(of: entity) else { return false }
      return former !== before && former.isKindOf(entity: before)
    }
    return (after.lineage.dropFirst() + below).contains { entity in
      entities.source(of: entity) != nil && entity.ownProperties.contains { property.matches($0) }
    }
  }

  private mutating func recordAddition(of property: NSPropertyDescription) {
    var nonLightweightReason: String?
    if let attribute = property as? NSAttributeDescription, attribute.needsValue {
      nonLightweightReason =
        """
        Existing objects would have no value for the required attribute \(attribute.name), \
        which has no default.
        """
    }
    record(
      .propertyAdded, property.name, to: property.kindDescription, affectsHash: property.isHashed,
      nonLightweightReason: nonLightweightReason, dependsOnObjects: true)
  }

  /// Compares two properties that correspond.
  mutating func compareProperty(_ before: NSPropertyDescription, _ after: NSPropertyDescription) {
    let hashed = before.isHashed || after.isHashed
    compare(.propertyRenamed, after.name, before.name, after.name, affectsHash: hashed) { $0 }
    compare(.transience, after.name, before.isTransient, after.isTransient, affectsHash: hashed)
    compare(
      .versionHashModifier, after.name, before.versionHashModifier, after.versionHashModifier,
      affectsHash: hashed
    ) { $0 ?? "none" }
    switch (before, after) {
    case (let before as NSAttributeDescription, let after as NSAttributeDescription):
      compareAttribute(before, after)
    case (let before as NSRelationshipDescription, let after as NSRelationshipDescription):
      compareRelationship(before, after)
    case (let before as NSFetchedPropertyDescription, let after as NSFetchedPropertyDescription):
      let (old, new) = (before.fetchRequest?.specification, after.fetchRequest?.specification)
      let isSame = old == nil ? new == nil : new.map { old?.isEquivalent(to: $0) ?? false } ?? false
      if !isSame { record(.fetch, after.name) }
    default:
      record(
        .propertyKind, after.name, from: before.kindDescription, to: after.kindDescription,
        affectsHash: hashed,
        nonLightweightReason: hashed
          ? "The values of one kind of property cannot be converted to another." : nil)
    }
    if !valuesAreEqual(before.userInfo, after.userInfo) { record(.userInfo, after.name) }
  }
}

extension NSPropertyDescription {
  /// Whether the property affects the version hash of its entity.
  var isHashed: Bool { !isTransient && !(self is NSFetchedPropertyDescription) }

  /// Whether a property of a newer model can correspond to this one.
  func matches(_ newer: NSPropertyDescription) -> Bool {
    name == (newer.storedRenamingIdentifier ?? newer.name)
  }

  /// The kind of the property, in a few words.
  package var kindDescription: String {
    switch self {
    case let attribute as NSDerivedAttributeDescription:
      "derived \(attribute.attributeType.displayName)"
    case let attribute as NSAttributeDescription: attribute.attributeType.displayName
    case let relationship as NSRelationshipDescription:
      """
      \(relationship.isToMany ? "to-many" : "to-one") relationship to \
      \(relationship.destinationEntity?.name ?? "?")
      """
    case is NSFetchedPropertyDescription: "fetched property"
    default: "property"
    }
  }
}
