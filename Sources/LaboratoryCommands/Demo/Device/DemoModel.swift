import Foundation
import ManagedObjectModel

/// The model of the demonstration: folders with notes.
enum DemoModel {
  static func make() -> NSManagedObjectModel {
    let (folder, note) = (entity("Folder"), entity("Note"))
    let notes = relationship("notes", to: note, maxCount: 0, .cascadeDeleteRule)
    let parent = relationship("folder", to: folder, maxCount: 1, .nullifyDeleteRule)
    (notes.inverseRelationship, parent.inverseRelationship) = (parent, notes)
    folder.properties = [attribute("name", .stringAttributeType), notes]
    let title = attribute("title", .stringAttributeType)
    note.properties = [
      title, attribute("text", .stringAttributeType),
      attribute("attachment", .binaryDataAttributeType), parent,
    ]
    // Orders find notes by title; the index keeps the cost independent of the store's size.
    note.indexes = [
      NSFetchIndexDescription(
        name: "byTitle",
        elements: [NSFetchIndexElementDescription(property: title, collationType: .binary)])
    ]
    let model = NSManagedObjectModel()
    model.entities = [folder, note]
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

  private static func relationship(
    _ name: String, to destination: NSEntityDescription, maxCount: Int, _ rule: NSDeleteRule
  ) -> NSRelationshipDescription {
    let relationship = NSRelationshipDescription()
    relationship.name = name
    relationship.destinationEntity = destination
    relationship.maxCount = maxCount
    relationship.isOptional = true
    relationship.deleteRule = rule
    return relationship
  }
}
