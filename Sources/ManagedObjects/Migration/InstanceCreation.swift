import Foundation
import ManagedObjectModel

/// Creates the destination object of a source object, and sets the attributes of the mapping.
struct InstanceCreation {
  let mapping: NSEntityMapping
  let manager: NSMigrationManager
  let policy: NSEntityMigrationPolicy

  private var evaluation: MappingEvaluation {
    MappingEvaluation(mapping: mapping, manager: manager, policy: policy)
  }

  func run(_ source: NSManagedObject) throws {
    guard mapping.destinationEntityName != nil else { return }
    guard let entity = manager.destinationEntity(for: mapping) else {
      throw evaluation.failure(
        "The destination model has no entity \(mapping.destinationEntityName ?? "").")
    }
    guard !entity.isAbstract else {
      throw evaluation.failure(
        "The destination entity \(entity.name ?? "") is abstract. Map to one of its subentities.")
    }
    let destination = NSManagedObject(entity: entity, insertInto: manager.destinationContext)
    for property in mapping.attributeMappings ?? [] {
      try set(property, of: destination, from: source)
    }
    manager.associate(sourceInstance: source, withDestinationInstance: destination, for: mapping)
  }

  private func set(
    _ property: NSPropertyMapping, of destination: NSManagedObject, from source: NSManagedObject
  ) throws {
    guard let expression = property.valueExpression else { return }
    let name = property.name ?? ""
    guard let attribute = destination.entity.attributesByName[name] else {
      throw evaluation.failure(
        "The destination entity \(destination.entity.name ?? "") has no attribute \(name).")
    }
    let value = try evaluation.value(
      of: expression, for: property, source: source, destination: destination)
    guard let value else { return destination.setValue(nil, forKey: name) }
    guard AttributeValue.fits(AttributeValue.normalized(value), attribute.attributeType) else {
      throw evaluation.failure(
        """
        The attribute \(destination.entity.name ?? "").\(name) takes a \
        \(attribute.attributeValueClassName ?? "value"), and \(expression) is a \
        \(type(of: value)).
        """
      )
    }
    destination.setValue(value, forKey: name)
  }
}
