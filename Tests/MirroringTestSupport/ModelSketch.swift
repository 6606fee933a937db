import Foundation
package import ManagedObjectModel

/// Builds models in a few lines.
package struct ModelSketch {
  package private(set) var entities: [NSEntityDescription] = []

  package init() {}

  /// An entity with attributes.
  @discardableResult
  package mutating func entity(
    _ name: String, under parent: NSEntityDescription? = nil, isAbstract: Bool = false,
    _ attributes: [NSAttributeDescription] = []
  ) -> NSEntityDescription {
    let entity = NSEntityDescription()
    entity.name = name
    entity.isAbstract = isAbstract
    entity.properties = attributes
    parent?.subentities.append(entity)
    entities.append(entity)
    return entity
  }

  /// Two relationships that are inverse to each other.
  @discardableResult
  package func relate(
    _ one: NSEntityDescription, _ name: String, toMany: Bool = false, ordered: Bool = false,
    to other: NSEntityDescription, _ inverse: String, backToMany isInverseToMany: Bool = false,
    backOrdered isInverseOrdered: Bool = false
  ) -> (NSRelationshipDescription, NSRelationshipDescription) {
    let forth = Self.relationship(name, to: other, toMany, ordered)
    let back = Self.relationship(inverse, to: one, isInverseToMany, isInverseOrdered)
    (forth.inverseRelationship, back.inverseRelationship) = (back, forth)
    one.properties.append(forth)
    other.properties.append(back)
    return (forth, back)
  }

  /// A relationship that is its own inverse.
  package func relateToItself(_ entity: NSEntityDescription, _ name: String, toMany: Bool) {
    let relationship = Self.relationship(name, to: entity, toMany, false)
    relationship.inverseRelationship = relationship
    entity.properties.append(relationship)
  }

  package static func relationship(
    _ name: String, to entity: NSEntityDescription, _ toMany: Bool, _ ordered: Bool
  ) -> NSRelationshipDescription {
    let relationship = NSRelationshipDescription()
    relationship.name = name
    relationship.destinationEntity = entity
    relationship.maxCount = toMany ? 0 : 1
    relationship.isOrdered = ordered
    return relationship
  }

  package static func attribute(
    _ name: String, _ type: NSAttributeType, required value: Any? = nil, encrypted: Bool = false
  ) -> NSAttributeDescription {
    let attribute = NSAttributeDescription()
    attribute.name = name
    attribute.attributeType = type
    attribute.isOptional = value == nil
    attribute.defaultValue = value
    attribute.allowsCloudEncryption = encrypted
    if type == .transformableAttributeType {
      attribute.valueTransformerName = "NSSecureUnarchiveFromData"
    }
    return attribute
  }

  package static func composite(_ name: String, _ elements: [NSAttributeDescription])
    -> NSAttributeDescription
  {
    let composite = NSCompositeAttributeDescription()
    composite.name = name
    composite.elements = elements
    return composite
  }

  package var model: NSManagedObjectModel {
    let model = NSManagedObjectModel()
    model.entities = entities
    return model
  }
}
