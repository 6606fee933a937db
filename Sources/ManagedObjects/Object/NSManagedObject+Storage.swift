import Foundation
import ManagedObjectModel

extension NSManagedObject {
  func property(_ key: String) -> NSPropertyDescription? { entity.propertiesByName[key] }

  func stopForUndefined(_ key: String) -> Never {
    preconditionFailure(
      "The entity \(entity.name ?? "without a name") has no property \(key). Its properties are \(entity.propertiesByName.keys.sorted().joined(separator: ", "))."
    )
  }

  /// The value of a property as key-value coding gives it.
  func storedValue(of property: NSPropertyDescription) -> Any? {
    guard let relationship = property as? NSRelationshipDescription else {
      // A fetched property is the result of a fetch, for which there is no context: it has no value.
      return values[attribute: property.name]
    }
    guard relationship.isToMany else { return values[toOne: property.name] }
    let related = values[toMany: property.name].objects
    return relationship.isOrdered ? NSOrderedSet(array: related) : NSSet(array: related)
  }

  func store(_ value: Any?, in property: NSPropertyDescription, maintainingInverse: Bool) {
    switch property {
    case let attribute as NSAttributeDescription: store(value, in: attribute)
    case let relationship as NSRelationshipDescription where relationship.isToMany:
      let objects = objects(in: value, for: relationship)
      if maintainingInverse {
        relate(relationship, to: objects)
      } else {
        values[toMany: relationship.name] = RelatedObjects(objects)
      }
    case let relationship as NSRelationshipDescription:
      let related: NSManagedObject? =
        if let value, !(value is NSNull) { object(value, for: relationship) } else { nil }
      if maintainingInverse {
        relate(relationship, to: related.map { [$0] } ?? [])
      } else {
        values[toOne: relationship.name] = related
      }
    default:
      preconditionFailure(
        "\(place(property)) is a fetched property: its value is the result of a fetch and cannot be set.")
    }
  }

  private func store(_ value: Any?, in attribute: NSAttributeDescription) {
    guard let value, !(value is NSNull) else { return values[attribute: attribute.name] = nil }
    let normalized = AttributeValue.normalized(value)
    precondition(
      AttributeValue.fits(normalized, attribute.attributeType),
      "\(place(attribute)) takes a \(attribute.attributeValueClassName ?? "value") and was set to a \(type(of: value))."
    )
    values[attribute: attribute.name] = normalized
  }

  /// Entity and property, for messages.
  func place(_ property: NSPropertyDescription) -> String {
    "\(entity.name ?? "An entity without a name").\(property.name)"
  }
}

// MARK: - Relationships

extension NSManagedObject {
  func object(_ value: Any, for relationship: NSRelationshipDescription) -> NSManagedObject {
    let object = value as? NSManagedObject
    let destination = relationship.destinationEntity
    let isAccepted = object.map { object in destination.map(object.entity.isKindOf(entity:)) ?? true } ?? false
    guard let object, isAccepted else {
      preconditionFailure(
        "\(place(relationship)) relates to objects of \(destination?.name ?? "an entity without a name") and was given \(object?.entity.name.map { "one of \($0)" } ?? "a \(type(of: value))")."
      )
    }
    return object
  }

  private func objects(in value: Any?, for relationship: NSRelationshipDescription) -> [NSManagedObject] {
    let elements: [Any]
    switch value {
    case nil, is NSNull: elements = []
    case let set as NSOrderedSet: elements = set.array
    case let set as NSSet: elements = set.allObjects
    case let array as [Any]: elements = array
    case let other?:
      preconditionFailure(
        "\(place(relationship)) is a to-many relationship: it takes a set of objects and was set to a \(type(of: other))."
      )
    }
    return elements.map { object($0, for: relationship) }
  }

  /// Makes the relationship lead to exactly these objects, and their inverse relationships lead here or away.
  func relate(_ relationship: NSRelationshipDescription, to objects: [NSManagedObject]) {
    let former = related(relationship)
    let kept = RelatedObjects(objects)
    for object in former where !kept.contains(object) { object.forget(self, in: relationship.inverseRelationship) }
    replace(relationship, with: kept)
    for object in kept.objects { object.remember(self, in: relationship.inverseRelationship) }
  }

  private func related(_ relationship: NSRelationshipDescription) -> [NSManagedObject] {
    let name = relationship.name
    return relationship.isToMany ? values[toMany: name].objects : values[toOne: name].map { [$0] } ?? []
  }

  private func replace(_ relationship: NSRelationshipDescription, with objects: RelatedObjects) {
    if relationship.isToMany {
      values[toMany: relationship.name] = objects
    } else {
      values[toOne: relationship.name] = objects.objects.first
    }
  }

  private func forget(_ object: NSManagedObject, in inverse: NSRelationshipDescription?) {
    guard let inverse else { return }
    var remaining = RelatedObjects(related(inverse))
    remaining.remove(object)
    replace(inverse, with: remaining)
  }

  private func remember(_ object: NSManagedObject, in inverse: NSRelationshipDescription?) {
    guard let inverse else { return }
    var known = RelatedObjects(related(inverse))
    guard !known.contains(object) else { return }
    if !inverse.isToMany {
      // Whoever was related to this object before is so no longer.
      for former in known.objects { former.forget(self, in: inverse.inverseRelationship) }
      known = RelatedObjects()
    }
    known.append(object)
    replace(inverse, with: known)
  }
}
