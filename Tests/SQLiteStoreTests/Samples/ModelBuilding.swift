import Foundation
import ManagedObjectModel

/// Short functions that build models in tests.

func attribute(
  _ name: String, _ type: NSAttributeType, _ configure: (NSAttributeDescription) -> Void = { _ in }
) -> NSAttributeDescription {
  let attribute = NSAttributeDescription()
  attribute.name = name
  attribute.attributeType = type
  attribute.isOptional = true
  configure(attribute)
  return attribute
}

func composite(_ name: String, _ elements: [NSAttributeDescription])
  -> NSCompositeAttributeDescription
{
  let composite = NSCompositeAttributeDescription()
  composite.name = name
  composite.elements = elements
  composite.isOptional = true
  return composite
}

func entity(
  _ name: String, _ properties: [NSPropertyDescription] = [], unique constraints: [[String]] = [],
  subentities: [NSEntityDescription] = []
) -> NSEntityDescription {
  let entity = NSEntityDescription()
  entity.name = name
  entity.properties = properties
  entity.uniquenessConstraints = constraints
  entity.subentities = subentities
  return entity
}

/// One side of a relationship.
struct Side {
  let entity: NSEntityDescription
  let name: String
  var isToMany = false
  var isOrdered = false

  static func one(_ entity: NSEntityDescription, _ name: String) -> Side {
    Side(entity: entity, name: name)
  }
  static func many(_ entity: NSEntityDescription, _ name: String, ordered: Bool = false) -> Side {
    Side(entity: entity, name: name, isToMany: true, isOrdered: ordered)
  }

  func relationship(to destination: NSEntityDescription) -> NSRelationshipDescription {
    let relationship = NSRelationshipDescription()
    relationship.name = name
    relationship.destinationEntity = destination
    relationship.maxCount = isToMany ? 0 : 1
    relationship.isOrdered = isOrdered
    relationship.isOptional = true
    entity.properties = entity.properties + [relationship]
    return relationship
  }
}

/// Relates two entities in both directions.
func relate(_ one: Side, _ other: Side) {
  let there = one.relationship(to: other.entity)
  let back = other.relationship(to: one.entity)
  there.inverseRelationship = back
  back.inverseRelationship = there
}

/// Relates an entity to itself by a relationship that is its own inverse.
func relateReflexively(_ side: Side) {
  let relationship = side.relationship(to: side.entity)
  relationship.inverseRelationship = relationship
}

func model(_ entities: [NSEntityDescription]) -> NSManagedObjectModel {
  let model = NSManagedObjectModel()
  func withDescendants(_ entity: NSEntityDescription) -> [NSEntityDescription] {
    [entity] + entity.subentities.flatMap(withDescendants)
  }
  model.entities = entities.flatMap(withDescendants)
  return model
}
