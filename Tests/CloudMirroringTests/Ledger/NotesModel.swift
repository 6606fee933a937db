import Foundation
import ManagedObjectModel

/// A model with every kind of relationship that mirroring knows: notes in folders, with tags; a task is a note.
enum NotesModel {
  /// The names of the second version: `Note.title` is `headline`, `Tag` is `Label`, and folders are gone.
  struct Names {
    var title = "title"
    var tag = "Tag"
    var hasFolders = true
    static let second = Names(title: "headline", tag: "Label", hasFolders: false)
  }

  static func make(_ names: Names = Names()) -> NSManagedObjectModel {
    let (note, task, tag, folder) = (entity("Note"), entity("Task"), entity(names.tag), entity("Folder"))
    if names.tag != "Tag" { tag.renamingIdentifier = "Tag" }
    let tags = relationship("tags", to: tag, isToMany: true)
    let tagged = relationship("notes", to: note, isToMany: true)
    let related = relationship("related", to: note, isToMany: true)
    let inside = relationship("folder", to: folder, isToMany: false)
    let contents = relationship("notes", to: note, isToMany: true)
    contents.deleteRule = .cascadeDeleteRule
    for (one, other) in [(tags, tagged), (related, related), (inside, contents)] {
      one.inverseRelationship = other
      other.inverseRelationship = one
    }
    let title = attribute(names.title, .stringAttributeType)
    if names.title != "title" { title.renamingIdentifier = "title" }
    note.properties =
      [title, attribute("body", .stringAttributeType), attribute("rank", .integer64AttributeType), tags, related]
      + (names.hasFolders ? [inside] : [])
    task.properties = [attribute("isDone", .booleanAttributeType)]
    note.subentities = [task]
    tag.properties = [attribute("word", .stringAttributeType), tagged]
    folder.properties = [attribute("name", .stringAttributeType), contents]
    let model = NSManagedObjectModel()
    model.entities = [note, task, tag] + (names.hasFolders ? [folder] : [])
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
    _ name: String, to destination: NSEntityDescription, isToMany: Bool
  ) -> NSRelationshipDescription {
    let relationship = NSRelationshipDescription()
    relationship.name = name
    relationship.destinationEntity = destination
    relationship.isOptional = true
    relationship.minCount = 0
    relationship.maxCount = isToMany ? 0 : 1
    relationship.deleteRule = .nullifyDeleteRule
    return relationship
  }
}
