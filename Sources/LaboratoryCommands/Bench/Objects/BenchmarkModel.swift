import Foundation
import ManagedObjectModel
import ManagedObjects

/// The model of the object graph's benchmarks: entries with eight attributes, and folders of items
/// with the same attributes.
enum BenchmarkModel {
  /// The model, registered in the process as the build plug-in registers models.
  static func linked() throws -> NSManagedObjectModel {
    let compiled = try CompiledModel.write(make())
    ModelRegistry.register(
      name: "ParhelionBenchmark",
      classes: ["Entry": Entry.self, "Folder": Folder.self, "Item": Item.self]
    ) { compiled }
    guard let model = NSManagedObjectModel.linked(named: "ParhelionBenchmark") else {
      throw NotLinked()
    }
    return model
  }

  struct NotLinked: Error, CustomStringConvertible {
    var description: String { "The model of the benchmarks could not be registered." }
  }

  private static func make() -> NSManagedObjectModel {
    let (entry, folder, item) = (entity("Entry"), entity("Folder"), entity("Item"))
    let items = relationship("items", to: item, maxCount: 0, .cascadeDeleteRule)
    let parent = relationship("folder", to: folder, maxCount: 1, .nullifyDeleteRule)
    items.inverseRelationship = parent
    parent.inverseRelationship = items
    entry.properties = attributes()
    entry.indexes = [numberIndex(of: entry)]
    folder.properties = [attribute("name", .stringAttributeType), items]
    item.properties = attributes() + [parent]
    let model = NSManagedObjectModel()
    model.entities = [entry, folder, item]
    return model
  }

  private static func entity(_ name: String) -> NSEntityDescription {
    let entity = NSEntityDescription()
    entity.name = name
    entity.managedObjectClassName = "LaboratoryCommands.\(name)"
    return entity
  }

  private static func attributes() -> [NSPropertyDescription] {
    [
      attribute("body", .stringAttributeType), attribute("count", .integer32AttributeType),
      attribute("date", .dateAttributeType), attribute("flag", .booleanAttributeType),
      attribute("mark", .UUIDAttributeType), attribute("number", .integer64AttributeType),
      attribute("score", .doubleAttributeType), attribute("title", .stringAttributeType),
    ]
  }

  private static func attribute(_ name: String, _ type: NSAttributeType) -> NSAttributeDescription {
    let attribute = NSAttributeDescription()
    attribute.name = name
    attribute.attributeType = type
    return attribute
  }

  private static func relationship(
    _ name: String, to destination: NSEntityDescription, maxCount: Int, _ rule: NSDeleteRule
  ) -> NSRelationshipDescription {
    let relationship = NSRelationshipDescription()
    relationship.name = name
    relationship.destinationEntity = destination
    relationship.maxCount = maxCount
    relationship.deleteRule = rule
    return relationship
  }

  private static func numberIndex(of entity: NSEntityDescription) -> NSFetchIndexDescription {
    let elements = entity.properties.filter { $0.name == "number" }.map {
      NSFetchIndexElementDescription(property: $0, collationType: .binary)
    }
    return NSFetchIndexDescription(name: "byNumber", elements: elements)
  }
}

/// An object with eight attributes, with the accessors that the generator writes.
final class Entry: NSManagedObject, EntryContents {
  override class var _hasGeneratedBody: Bool { self == Entry.self }

  var body: String? {
    get { _get(0, "body") }
    set { _set(0, "body", newValue) }
  }
  var count: Int32 {
    get { _get(1, "count") }
    set { _set(1, "count", newValue) }
  }
  var date: Date? {
    get { _get(2, "date") }
    set { _set(2, "date", newValue) }
  }
  var flag: Bool {
    get { _get(3, "flag") }
    set { _set(3, "flag", newValue) }
  }
  var mark: UUID? {
    get { _get(4, "mark") }
    set { _set(4, "mark", newValue) }
  }
  var number: Int64 {
    get { _get(5, "number") }
    set { _set(5, "number", newValue) }
  }
  var score: Double {
    get { _get(6, "score") }
    set { _set(6, "score", newValue) }
  }
  var title: String? {
    get { _get(7, "title") }
    set { _set(7, "title", newValue) }
  }
}

/// A parent of many items.
final class Folder: NSManagedObject {
  override class var _hasGeneratedBody: Bool { self == Folder.self }

  /// The relationship as Xcode declares it.
  var items: NSSet? {
    get { _get(0, "items") }
    set { _set(0, "items", newValue) }
  }
  /// The same relationship as a hand-written class declares it.
  var itemSet: Set<Item> {
    get { _get(0, "items") }
    set { _set(0, "items", newValue) }
  }
  var name: String? {
    get { _get(1, "name") }
    set { _set(1, "name", newValue) }
  }
}

/// An entry in a folder.
final class Item: NSManagedObject, EntryContents {
  override class var _hasGeneratedBody: Bool { self == Item.self }

  var body: String? {
    get { _get(0, "body") }
    set { _set(0, "body", newValue) }
  }
  var count: Int32 {
    get { _get(1, "count") }
    set { _set(1, "count", newValue) }
  }
  var date: Date? {
    get { _get(2, "date") }
    set { _set(2, "date", newValue) }
  }
  var flag: Bool {
    get { _get(3, "flag") }
    set { _set(3, "flag", newValue) }
  }
  var folder: Folder? {
    get { _get(4, "folder") }
    set { _set(4, "folder", newValue) }
  }
  var mark: UUID? {
    get { _get(5, "mark") }
    set { _set(5, "mark", newValue) }
  }
  var number: Int64 {
    get { _get(6, "number") }
    set { _set(6, "number", newValue) }
  }
  var score: Double {
    get { _get(7, "score") }
    set { _set(7, "score", newValue) }
  }
  var title: String? {
    get { _get(8, "title") }
    set { _set(8, "title", newValue) }
  }
}

/// The common properties of entries and items.
protocol EntryContents: AnyObject {
  var body: String? { get set }
  var count: Int32 { get set }
  var date: Date? { get set }
  var flag: Bool { get set }
  var mark: UUID? { get set }
  var number: Int64 { get set }
  var score: Double { get set }
  var title: String? { get set }
}
