import Foundation
import ManagedObjectModel
import ManagedObjects
import ObjectRows
import SQLiteDriver
import SQLiteStore
import Synchronization

/// The model of the full-text tests: notes, letters (a kind of note), and their authors.
func makeNotebookModel(version: Int = 1) -> NSManagedObjectModel {
  func text(_ name: String, isIndexed: Bool = true, was former: String? = nil)
    -> NSAttributeDescription
  {
    let attribute = NSAttributeDescription()
    (attribute.name, attribute.attributeType) = (name, .stringAttributeType)
    attribute.isOptional = true
    attribute.isIndexedBySpotlight = isIndexed
    attribute.renamingIdentifier = former
    return attribute
  }
  let (note, letter, author) = (NSEntityDescription(), NSEntityDescription(), NSEntityDescription())
  (note.name, letter.name, author.name) = ("Note", "Letter", "Author")
  let stars = NSAttributeDescription()
  (stars.name, stars.attributeType, stars.isOptional) = ("stars", .integer64AttributeType, true)
  let (writer, notes) = (NSRelationshipDescription(), NSRelationshipDescription())
  (writer.name, writer.destinationEntity, writer.maxCount) = ("author", author, 1)
  (notes.name, notes.destinationEntity, notes.maxCount) = ("notes", note, 0)
  (writer.isOptional, notes.isOptional) = (true, true)
  (writer.inverseRelationship, notes.inverseRelationship) = (notes, writer)
  let body = version == 1 ? text("body") : text("content", was: "body")
  note.properties = [text("title"), body, text("secret", isIndexed: false), stars, writer]
  if version > 1 { note.properties.append(text("summary")) }
  letter.properties = [text("recipient")]
  note.subentities = [letter]
  author.properties = [text("name"), notes]
  let model = NSManagedObjectModel()
  model.entities = [note, letter, author]
  return model
}

/// A notebook in a store, with a record of the statements that it runs.
final class Notebook {
  enum Kind: CaseIterable { case memory, plain, indexed }

  let coordinator: NSPersistentStoreCoordinator
  let context: NSManagedObjectContext
  private let statements = StatementList()

  final class StatementList: Sendable {
    private let list = Mutex<[String]>([])
    func add(_ sql: String) { list.withLock { $0.append(sql) } }
    func take() -> [String] {
      list.withLock { list in
        defer { list = [] }
        return list
      }
    }
  }

  /// - Parameter isIndexed: The option for the index; nil for none.
  init(
    at url: URL?, isIndexed: Bool?, version: Int = 1, readOnly: Bool = false
  ) throws {
    coordinator = NSPersistentStoreCoordinator(
      managedObjectModel: makeNotebookModel(version: version))
    let description = NSPersistentStoreDescription(url: url ?? URL(fileURLWithPath: "/dev/null"))
    if let isIndexed { description.maintainsFullTextIndex = isIndexed }
    description.isReadOnly = readOnly
    context = NSManagedObjectContext.onAnyThread()
    context.persistentStoreCoordinator = coordinator
    try add(description)
  }

  convenience init(_ kind: Kind) throws {
    try self.init(at: nil, isIndexed: kind == .indexed)
    guard kind == .memory else { return }
    for store in coordinator.persistentStores { try coordinator.remove(store) }
    try coordinator.addPersistentStore(
      ofType: NSInMemoryStoreType, configurationName: nil, at: nil)
  }

  private func add(_ description: NSPersistentStoreDescription) throws {
    var logging = StatementLogging()
    logging.observe = { [statements] in statements.add($0.sql) }
    try StatementLogging.$current.withValue(logging) { () throws in
      _ = try coordinator.addPersistentStore(
        ofType: description.type, configurationName: nil, at: description.url,
        options: description.options)
    }
  }

  func close() throws {
    for store in coordinator.persistentStores { try coordinator.remove(store) }
  }

  @discardableResult
  func note(_ title: String?, _ body: String?, stars: Int = 0, entity: String = "Note")
    -> NSManagedObject
  {
    let note = NSEntityDescription.insertNewObject(forEntityName: entity, into: context)
    note.setValue(title, forKey: "title")
    let key = note.entity.propertiesByName["body"] == nil ? "content" : "body"
    note.setValue(body, forKey: key)
    note.setValue(stars, forKey: "stars")
    return note
  }

  func save() throws { try context.save() }

  /// The titles of the notes that a predicate finds, sorted.
  func titles(_ predicate: NSPredicate, entity: String = "Note") throws -> [String] {
    let request = NSFetchRequest<NSManagedObject>(entityName: entity)
    request.predicate = predicate
    return try context.fetch(request).compactMap { $0.value(forKey: "title") as? String }.sorted()
  }

  /// The statements that `body` runs.
  func statements(_ body: () throws -> Void) rethrows -> [String] {
    _ = statements.take()
    try body()
    return statements.take()
  }
}
