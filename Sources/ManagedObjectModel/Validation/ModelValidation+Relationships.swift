extension ModelValidation {
  mutating func check(_ relationship: NSRelationshipDescription, of entity: NSEntityDescription) {
    checkCounts(of: relationship, in: entity)
    if relationship.deleteRule == .noActionDeleteRule {
      record(
        .noActionRule, as: .warning, in: entity, at: relationship.name,
        "With the delete rule No Action, related objects keep a reference to a deleted object.",
        remedy: "Choose Nullify, Cascade or Deny.")
    }
    guard let destination = relationship.destinationEntity else {
      return record(
        .missingDestination, in: entity, at: relationship.name,
        "The relationship has no destination.",
        remedy: "Set its destination entity.")
    }
    guard destination.model === model else {
      return record(
        .missingDestination, in: entity, at: relationship.name,
        "The destination \(destination.name ?? "without a name") is not an entity of the model.",
        remedy: "Add it to the entities of the model, or choose another.")
    }
    checkInverse(of: relationship, to: destination, in: entity)
  }

  private mutating func checkCounts(
    of relationship: NSRelationshipDescription, in entity: NSEntityDescription
  ) {
    let (least, greatest) = (relationship.minCount, relationship.maxCount)
    if least < 0 || greatest < 0 || (greatest > 0 && least > greatest) {
      record(
        .countsOutOfOrder, in: entity, at: relationship.name,
        "The minimum count is \(least) and the maximum count is \(greatest).",
        remedy:
          "The minimum must be from 0 to the maximum; a maximum of 0 means no limit."
      )
    }
    if relationship.isOrdered, !relationship.isToMany {
      record(
        .orderedToOne, in: entity, at: relationship.name,
        "A to-one relationship cannot be ordered.",
        remedy: "Make it to-many, or not ordered.")
    }
  }

  private mutating func checkInverse(
    of relationship: NSRelationshipDescription, to destination: NSEntityDescription,
    in entity: NSEntityDescription
  ) {
    guard let inverse = relationship.inverseRelationship else {
      return record(
        .missingInverse, as: .warning, in: entity, at: relationship.name,
        "The relationship has no inverse, so it is not updated when the other end changes.",
        remedy:
          "Add a relationship from \(destination.name ?? "the destination") and make the two inverses."
      )
    }
    if destination.propertiesByName[inverse.name] !== inverse {
      record(
        .inverseMismatch, in: entity, at: relationship.name,
        "The inverse \(inverse.name) is not a relationship of the destination \(destination.name ?? "").",
        remedy: "Choose a relationship of the destination.")
    } else if inverse.inverseRelationship !== relationship {
      record(
        .inverseMismatch, in: entity, at: relationship.name,
        "The inverse \(destination.name ?? "").\(inverse.name) has \(inverse.inverseRelationship?.name ?? "nothing") as its own inverse.",
        remedy: "Make the two each other's inverse.")
    } else if let back = inverse.destinationEntity, back !== entity {
      record(
        .inverseMismatch, in: entity, at: relationship.name,
        "The inverse \(destination.name ?? "").\(inverse.name) has the destination \(back.name ?? "an entity without a name") instead.",
        remedy: "Set the inverse's destination to \(entity.name ?? "this entity").")
    }
  }
}
