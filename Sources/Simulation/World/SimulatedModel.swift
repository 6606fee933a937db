import ManagedObjectModel

/// The model of all worlds: what any workload needs.
///
/// Every object has a key that is given once, which is what people would know it by.
enum SimulatedModel {
  /// The entities, in order.
  static let entities = ["Contribution", "Folder", "Note", "Person", "Tag"]

  static func make() -> NSManagedObjectModel {
    let (contribution, folder, note) = (entity("Contribution"), entity("Folder"), entity("Note"))
    let (person, tag) = (entity("Person"), entity("Tag"))
    contribution.properties += [attribute("date", .dateAttributeType), attribute("author", .stringAttributeType)]
    note.properties += [
      attribute("body", .stringAttributeType), attribute("count", .integer64AttributeType),
      attribute("data", .binaryDataAttributeType),
    ]
    person.properties += [attribute("email", .stringAttributeType)]
    person.uniquenessConstraints = [["email"]]
    relate(contribution, "parent", toMany: false, contribution, "children")
    relate(note, "folder", toMany: false, folder, "notes")
    relate(note, "tags", toMany: true, tag, "notes")
    let model = NSManagedObjectModel()
    model.entities = [contribution, folder, note, person, tag]
    return model
  }

  private static func entity(_ name: String) -> NSEntityDescription {
    let entity = NSEntityDescription()
    entity.name = name
    entity.properties = [attribute("key", .stringAttributeType), attribute("title", .stringAttributeType)]
    return entity
  }

  private static func attribute(_ name: String, _ type: NSAttributeType) -> NSAttributeDescription {
    let attribute = NSAttributeDescription()
    attribute.name = name
    attribute.attributeType = type
    attribute.isOptional = true
    return attribute
  }

  /// Relates two entities; the inverse always has many.
  private static func relate(
    _ one: NSEntityDescription, _ name: String, toMany: Bool, _ other: NSEntityDescription, _ inverse: String
  ) {
    let (forth, back) = (relationship(name, other, toMany), relationship(inverse, one, true))
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
