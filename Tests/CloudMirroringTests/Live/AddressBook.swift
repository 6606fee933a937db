import Foundation
import ManagedObjectModel

/// A model with everything that mirroring has to bring over: people in towns, their friends, and groups that they belong to.
enum AddressBook {
  /// - Parameter isUnique: Whether no two people may have the same address.
  static func model(isUnique: Bool = false) -> NSManagedObjectModel {
    let (person, town, group) = (entity("Person"), entity("Town"), entity("Group"))
    person.properties = [
      attribute("name", .stringAttributeType), attribute("email", .stringAttributeType),
      attribute("age", .integer64AttributeType), attribute("balance", .decimalAttributeType),
      attribute("born", .dateAttributeType), attribute("photo", .binaryDataAttributeType),
    ]
    if isUnique { person.uniquenessConstraints = [["email"]] }
    town.properties = [attribute("name", .stringAttributeType)]
    group.properties = [attribute("title", .stringAttributeType)]
    relate(person, "town", toMany: false, town, "people", toMany: true)
    relate(person, "groups", toMany: true, group, "members", toMany: true)
    relate(person, "parent", toMany: false, person, "children", toMany: true)
    let model = NSManagedObjectModel()
    model.entities = [person, town, group]
    return model
  }

  private static func entity(_ name: String) -> NSEntityDescription {
    let entity = NSEntityDescription()
    entity.name = name
    return entity
  }

  private static func attribute(_ name: String, _ type: NSAttributeType) -> NSAttributeDescription {
    let attribute = NSAttributeDescription()
    attribute.name = name
    attribute.attributeType = type
    attribute.isOptional = true
    return attribute
  }

  private static func relate(
    _ one: NSEntityDescription, _ name: String, toMany: Bool, _ other: NSEntityDescription, _ inverse: String,
    toMany isInverseToMany: Bool
  ) {
    let (forth, back) = (relationship(name, other, toMany), relationship(inverse, one, isInverseToMany))
    (forth.inverseRelationship, back.inverseRelationship) = (back, forth)
    one.properties.append(forth)
    other.properties.append(back)
  }

  private static func relationship(
    _ name: String, _ entity: NSEntityDescription, _ toMany: Bool
  ) -> NSRelationshipDescription {
    let relationship = NSRelationshipDescription()
    relationship.name = name
    relationship.destinationEntity = entity
    relationship.maxCount = toMany ? 0 : 1
    relationship.isOptional = true
    relationship.deleteRule = .nullifyDeleteRule
    return relationship
  }
}
