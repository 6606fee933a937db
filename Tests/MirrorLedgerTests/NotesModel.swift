import Foundation
import ManagedObjectModel
import MirroringTestSupport

/// A model with every kind of relationship that mirroring supports: notes in folders, with tags.
///
/// A task is a note.
enum NotesModel {
  /// The names of the second version: `Note.title` becomes `headline`, `Tag` becomes `Label`, and
  /// folders are removed.
  struct Names {
    var title = "title"
    var tag = "Tag"
    var hasFolders = true
    static let second = Names(title: "headline", tag: "Label", hasFolders: false)
  }

  static func make(_ names: Names = Names()) -> NSManagedObjectModel {
    var sketch = ModelSketch()
    let title = ModelSketch.attribute(names.title, .stringAttributeType)
    if names.title != "title" { title.renamingIdentifier = "title" }
    let note = sketch.entity(
      "Note",
      [
        title, ModelSketch.attribute("body", .stringAttributeType),
        ModelSketch.attribute("rank", .integer64AttributeType),
      ])
    sketch.entity("Task", under: note, [ModelSketch.attribute("isDone", .booleanAttributeType)])
    let tag = sketch.entity(names.tag, [ModelSketch.attribute("word", .stringAttributeType)])
    if names.tag != "Tag" { tag.renamingIdentifier = "Tag" }
    sketch.relate(note, "tags", toMany: true, to: tag, "notes", backToMany: true)
    sketch.relateToItself(note, "related", toMany: true)
    guard names.hasFolders else { return sketch.model }
    let folder = sketch.entity("Folder", [ModelSketch.attribute("name", .stringAttributeType)])
    let (_, contents) = sketch.relate(note, "folder", to: folder, "notes", backToMany: true)
    contents.deleteRule = .cascadeDeleteRule
    return sketch.model
  }
}
