import Foundation
import ManagedObjectModel

/// An attribute in one line.
func attribute(
  _ name: String, _ type: NSAttributeType, optional: Bool = false,
  _ configure: (NSAttributeDescription) -> Void = { _ in }
) -> NSAttributeDescription {
  let attribute = NSAttributeDescription()
  attribute.name = name
  attribute.attributeType = type
  attribute.isOptional = optional
  configure(attribute)
  return attribute
}

/// An entity in one line.
func entity(
  _ name: String, _ properties: [NSPropertyDescription] = [],
  subentities: [NSEntityDescription] = [],
  _ configure: (NSEntityDescription) -> Void = { _ in }
) -> NSEntityDescription {
  let entity = NSEntityDescription()
  entity.name = name
  entity.managedObjectClassName = name
  entity.properties = properties
  entity.subentities = subentities
  configure(entity)
  return entity
}

/// A model of entities.
func model(_ entities: NSEntityDescription...) -> NSManagedObjectModel {
  let model = NSManagedObjectModel()
  model.entities = entities
  return model
}

/// A relationship in one direction, added to its entity.
@discardableResult
func relate(
  _ source: NSEntityDescription, _ name: String, to destination: NSEntityDescription, maxCount: Int,
  _ configure: (NSRelationshipDescription) -> Void = { _ in }
) -> NSRelationshipDescription {
  let relationship = NSRelationshipDescription()
  relationship.name = name
  relationship.destinationEntity = destination
  relationship.maxCount = maxCount
  configure(relationship)
  source.properties.append(relationship)
  return relationship
}

/// Makes two relationships each other's inverse.
func invert(_ left: NSRelationshipDescription, _ right: NSRelationshipDescription) {
  left.inverseRelationship = right
  right.inverseRelationship = left
}

/// A library: abstract items with an inherited title, books with authors, and a template.
struct Library {
  let model: NSManagedObjectModel
  let item, book, author: NSEntityDescription
  let name: NSAttributeDescription
  let books, writer: NSRelationshipDescription

  init() {
    book = entity("Book", [attribute("pages", .integer32AttributeType)])
    item = entity("Item", [attribute("title", .stringAttributeType)], subentities: [book]) {
      $0.isAbstract = true
    }
    name = attribute("name", .stringAttributeType)
    author = entity("Author", [name, attribute("id", .UUIDAttributeType)])
    writer = relate(book, "author", to: author, maxCount: 1)
    books = relate(author, "books", to: book, maxCount: 0)
    invert(writer, books)
    author.uniquenessConstraints = [["id"]]
    author.indexes = [
      NSFetchIndexDescription(
        name: "byName",
        elements: [NSFetchIndexElementDescription(property: name, collationType: .binary)])
    ]
    model = ManagedObjectModelTests.model(item, book, author)
    model.setEntities([author], forConfigurationName: "People")
    let template = NSFetchRequest<any NSFetchRequestResult>()
    template.entity = author
    model.setFetchRequestTemplate(template, forName: "everyone")
    model.versionIdentifiers = ["1"]
  }
}

/// The model of the library.
func libraryModel() -> NSManagedObjectModel {
  Library().model
}
