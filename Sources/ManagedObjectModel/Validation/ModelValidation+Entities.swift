extension ModelValidation {
  mutating func check(_ entity: NSEntityDescription) {
    checkName(of: entity)
    checkInheritance(of: entity)
    checkPropertyNames(of: entity)
    for property in entity.ownProperties { check(property, of: entity) }
    checkConstraints(of: entity)
    checkIndexes(of: entity)
  }

  private mutating func checkName(of entity: NSEntityDescription) {
    if entity.name?.isEmpty ?? true {
      record(.emptyName, in: entity, "An entity has no name.", remedy: "Name it.")
    }
  }

  private mutating func checkInheritance(of entity: NSEntityDescription) {
    let lineage = entity.lineage
    if let root = lineage.last, let beyond = root.superentity {
      record(
        .parentCycle, in: entity,
        "The entity is its own ancestor, through \(beyond.name ?? "an entity without a name").",
        remedy: "Break the cycle: the root entity must have no superentity.")
    } else if let parent = entity.superentity, parent.model !== model {
      record(
        .entityOutsideModel, in: entity,
        "The superentity \(parent.name ?? "without a name") is not an entity of the model.",
        remedy: "Add it to the entities of the model.")
    }
    for child in entity.subentities where child.model !== model {
      record(
        .entityOutsideModel, in: entity,
        "The subentity \(child.name ?? "without a name") is not an entity of the model.",
        remedy: "Add it to the entities of the model.")
    }
  }

  private mutating func checkPropertyNames(of entity: NSEntityDescription) {
    let inherited = Dictionary(
      entity.inheritedProperties.map { ($0.name, $0) }, uniquingKeysWith: { first, _ in first })
    for name in repeated(entity.ownProperties.map(\.name)) where !name.isEmpty {
      record(
        .duplicateName, in: entity, at: name, "There are several properties with this name.",
        remedy: "Give each property a different name.")
    }
    for property in entity.ownProperties {
      guard let former = inherited[property.name] else { continue }
      record(
        .duplicateName, in: entity, at: property.name,
        "A property with this name is inherited from \(former.declaringEntity?.name ?? "an ancestor").",
        remedy: "Rename one of the two, or remove this one.")
    }
  }
}
