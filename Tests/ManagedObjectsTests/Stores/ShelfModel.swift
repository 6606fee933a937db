import Foundation
import ManagedObjectModel
import ObjectRows

/// A model with most types of attributes and every kind of relationship, for tests of stores.
struct ShelfModel {
  let model = NSManagedObjectModel()
  let layouts: ModelLayouts

  init() {
    let author = Self.entity("Author", [Self.attribute("name", .stringAttributeType)])
    let book = Self.entity(
      "Book",
      [
        Self.attribute("title", .stringAttributeType), Self.attribute("isbn", .stringAttributeType),
        Self.attribute("pages", .integer32AttributeType),
        Self.attribute("shelf", .integer16AttributeType),
        Self.attribute("sold", .integer64AttributeType),
        Self.attribute("price", .decimalAttributeType),
        Self.attribute("rating", .doubleAttributeType),
        Self.attribute("weight", .floatAttributeType),
        Self.attribute("lent", .booleanAttributeType), Self.attribute("added", .dateAttributeType),
        Self.attribute("cover", .binaryDataAttributeType),
        Self.attribute("code", .UUIDAttributeType),
        Self.attribute("page", .URIAttributeType),
        Self.attribute("note", .stringAttributeType, isTransient: true),
      ])
    let novel = Self.entity("Novel", [Self.attribute("genre", .stringAttributeType)])
    let chapter = Self.entity("Chapter", [Self.attribute("heading", .stringAttributeType)])
    let tag = Self.entity("Tag", [Self.attribute("word", .stringAttributeType)])
    book.subentities = [novel]
    Self.relate(author, "books", many: true, with: book, "author", many: false)
    Self.relate(book, "chapters", many: true, ordered: true, with: chapter, "book", many: false)
    Self.relate(book, "tags", many: true, with: tag, "books", many: true)
    Self.relate(author, "favourites", many: true, ordered: true, with: book, "fans", many: true)
    Self.relate(book, "sequel", many: false, with: book, "prequel", many: false)
    book.uniquenessConstraints = [["isbn"]]
    model.entities = [author, book, novel, chapter, tag]
    model.setEntities([tag], forConfigurationName: "Words")
    model.setEntities([author, book, novel, chapter], forConfigurationName: "Shelves")
    layouts = ModelLayouts.of(model)
  }

  func layout(_ name: String) -> RowLayout {
    guard let layout = layouts[named: name] else {
      preconditionFailure("There is no entity \(name).")
    }
    return layout
  }

  func relationship(_ entity: String, _ name: String) -> NSRelationshipDescription {
    let layout = layout(entity)
    guard let ordinal = layout.ordinal(of: name),
      let relationship = layout.properties[ordinal] as? NSRelationshipDescription
    else { preconditionFailure("\(entity) has no relationship \(name).") }
    return relationship
  }

  // MARK: Descriptions

  static func entity(_ name: String, _ properties: [NSPropertyDescription]) -> NSEntityDescription {
    let entity = NSEntityDescription()
    entity.name = name
    entity.properties = properties
    return entity
  }

  static func attribute(
    _ name: String, _ type: NSAttributeType, isTransient: Bool = false
  ) -> NSAttributeDescription {
    let attribute = NSAttributeDescription()
    attribute.name = name
    attribute.attributeType = type
    attribute.isTransient = isTransient
    attribute.isOptional = true
    return attribute
  }

  private static func relate(
    _ one: NSEntityDescription, _ name: String, many: Bool, ordered: Bool = false,
    with other: NSEntityDescription,
    _ inverse: String, many inverseMany: Bool
  ) {
    let (there, back) = (NSRelationshipDescription(), NSRelationshipDescription())
    for (relationship, name, many) in [(there, name, many), (back, inverse, inverseMany)] {
      relationship.name = name
      relationship.maxCount = many ? 0 : 1
      relationship.isOptional = true
    }
    there.isOrdered = ordered
    (there.destinationEntity, back.destinationEntity) = (other, one)
    (there.inverseRelationship, back.inverseRelationship) = (back, there)
    one.properties += [there]
    other.properties += [back]
  }
}
