extension ModelValidation {
  mutating func check(_ property: NSPropertyDescription, of entity: NSEntityDescription) {
    checkName(of: property, in: entity)
    if let owner = property.declaringEntity, owner !== entity {
      record(
        .propertySharedByEntities, in: entity, at: property.name,
        "The property also belongs to \(owner.name ?? "another entity").",
        remedy: "Add a copy of it instead.")
    }
    switch property {
    case let derived as NSDerivedAttributeDescription:
      check(derived, of: entity)
    case let composite as NSCompositeAttributeDescription:
      checkElements(of: composite, at: composite.name, in: entity, depth: 1)
    case let attribute as NSAttributeDescription:
      check(attribute, at: attribute.name, in: entity)
    case let relationship as NSRelationshipDescription:
      check(relationship, of: entity)
    case let fetched as NSFetchedPropertyDescription:
      check(fetched, of: entity)
    default:
      break
    }
  }

  private mutating func checkName(
    of property: NSPropertyDescription, in entity: NSEntityDescription
  ) {
    let name = property.name
    if name.isEmpty {
      record(.emptyName, in: entity, "A property has no name.", remedy: "Name it.")
    } else if ReservedNames.members.contains(name) {
      record(
        .reservedName, in: entity, at: name, "Every managed object has a member with this name.",
        remedy: "Choose another name.")
    } else if ReservedNames.objectiveCMethods.contains(name) {
      record(
        .reservedName, as: .warning, in: entity, at: name,
        "In Objective-C, every object has a method with this name.",
        remedy: "Choose another name if Objective-C code uses the class.")
    } else if name.contains(where: { $0.isWhitespace || ".@$#".contains($0) }) {
      record(
        .unusableName, in: entity, at: name, "The name cannot be written in a key path.",
        remedy: "Use letters, digits and underscores.")
    }
  }

  private mutating func check(
    _ fetched: NSFetchedPropertyDescription, of entity: NSEntityDescription
  ) {
    guard let request = fetched.fetchRequest else {
      return record(
        .fetchWithoutRequest, in: entity, at: fetched.name,
        "The fetched property has no fetch request.",
        remedy: "Set its fetchRequest.")
    }
    if let problem = problemWithEntity(of: request) {
      record(
        .fetchOfUnknownEntity, in: entity, at: fetched.name, "The fetched property \(problem).",
        remedy: "Choose an entity of the model.")
    }
  }
}
