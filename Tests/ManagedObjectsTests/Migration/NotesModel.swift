import Foundation
import ManagedObjectModel
import ManagedObjects

/// Versions of a model of notes, each built in code.
struct NotesModel {
  /// A property of an entity: the name, the type, and whether it is required.
  struct Attribute {
    var name: String
    var type = NSAttributeType.stringAttributeType
    var isOptional = true
    var defaultValue: Any?
    var formerName: String?
  }

  var attributes: [Attribute]
  var otherEntities: [String] = []

  var model: NSManagedObjectModel {
    let note = NSEntityDescription()
    note.name = "Note"
    note.properties = attributes.map { attribute in
      let made = NSAttributeDescription()
      made.name = attribute.name
      made.attributeType = attribute.type
      made.isOptional = attribute.isOptional
      made.defaultValue = attribute.defaultValue
      made.renamingIdentifier = attribute.formerName
      return made
    }
    let others = otherEntities.map { name in
      let entity = NSEntityDescription()
      entity.name = name
      return entity
    }
    let model = NSManagedObjectModel()
    model.entities = [note] + others
    return model
  }

  /// Optional titles.
  static var first: NotesModel {
    NotesModel(attributes: [Attribute(name: "title")])
  }
  /// A body in addition.
  static var second: NotesModel {
    NotesModel(attributes: [Attribute(name: "title"), Attribute(name: "body")])
  }
  /// Required titles, which no migration can infer for notes without one.
  static var third: NotesModel {
    NotesModel(
      attributes: [Attribute(name: "title", isOptional: false), Attribute(name: "body")])
  }
  /// Another name for the body, and tags.
  static var fourth: NotesModel {
    NotesModel(
      attributes: [
        Attribute(name: "title", isOptional: false), Attribute(name: "text", formerName: "body"),
      ], otherEntities: ["Tag"])
  }
}
