import Foundation
import ManagedObjectModel

/// Sets the relationships of a destination object.
struct RelationshipCreation {
  let mapping: NSEntityMapping
  let manager: NSMigrationManager
  let policy: NSEntityMigrationPolicy

  private var evaluation: MappingEvaluation {
    MappingEvaluation(mapping: mapping, manager: manager, policy: policy)
  }

  func run(_ destination: NSManagedObject) throws {
    let source = manager.sourceInstances(
      forEntityMappingName: mapping.name, destinationInstances: [destination]
    ).first
    for property in mapping.relationshipMappings ?? [] {
      try set(property, of: destination, from: source)
    }
  }

  private func set(
    _ property: NSPropertyMapping, of destination: NSManagedObject, from source: NSManagedObject?
  ) throws {
    guard let expression = property.valueExpression else { return }
    let name = property.name ?? ""
    guard let relationship = destination.entity.relationshipsByName[name] else {
      throw evaluation.failure(
        "The destination entity \(destination.entity.name ?? "") has no relationship \(name).")
    }
    let value = try evaluation.value(
      of: expression, for: property, source: source, destination: destination)
    let objects = MigrationObjects.list(value)
    try check(objects, relationship, destination)
    guard relationship.isToMany else {
      return destination.setValue(objects.first, forKey: name)
    }
    destination.setValue(
      relationship.isOrdered ? NSOrderedSet(array: objects) : NSSet(array: objects), forKey: name)
  }

  private func check(
    _ objects: [NSManagedObject], _ relationship: NSRelationshipDescription,
    _ destination: NSManagedObject
  ) throws {
    let place = "\(destination.entity.name ?? "").\(relationship.name)"
    for object in objects {
      guard object.managedObjectContext === manager.destinationContext else {
        throw evaluation.failure(
          """
          The value of the relationship \(place) has an object of the source store. Use \
          destinationInstances(forEntityMappingName:sourceInstances:).
          """
        )
      }
      guard let wanted = relationship.destinationEntity, object.entity.isKindOf(entity: wanted)
      else {
        throw evaluation.failure(
          """
          The relationship \(place) leads to \
          \(relationship.destinationEntity?.name ?? "no entity"), and its value has an object of \
          \(object.entity.name ?? "another entity").
          """
        )
      }
    }
    guard relationship.isToMany || objects.count <= 1 else {
      throw evaluation.failure(
        "The relationship \(place) takes one object, and its value has \(objects.count).")
    }
  }
}
