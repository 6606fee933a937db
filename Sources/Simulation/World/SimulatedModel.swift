import ManagedObjectModel

/// The model of all worlds: what any workload needs.
///
/// Every object has a key that is given once, which is what people would know it by.
enum SimulatedModel {
  /// A version of the model; each has all that those before have.
  enum Version: Int, CaseIterable, Sendable {
    case first = 1
    /// Notes have a rating, and belong to projects.
    case second

    /// The entities, in order.
    var entities: [String] {
      ["Contribution", "Folder", "Note", "Person"] + (self == .first ? [] : ["Project"]) + ["Tag"]
    }

    /// The properties that a later version has besides.
    var unknownProperties: Set<String> { self == .first ? ["project", "rating"] : [] }
  }

  static func make(_ version: Version = .first) -> NSManagedObjectModel {
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
    if version == .second { grow(model, note) }
    return model
  }

  /// Adds an entity, an attribute and a relationship.
  private static func grow(_ model: NSManagedObjectModel, _ note: NSEntityDescription) {
    let project = entity("Project")
    note.properties += [attribute("rating", .integer64AttributeType)]
    relate(note, "project", toMany: false, project, "notes")
    model.entities.append(project)
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
