import Foundation
import ManagedObjectModel
import ManagedObjects
import PredicateLanguage

/// Two versions of a model of a library, and stores of the first.
enum MigrationModels {
  static func attribute(
    _ name: String, _ type: NSAttributeType = .stringAttributeType,
    _ configure: (NSAttributeDescription) -> Void = { _ in }
  ) -> NSAttributeDescription {
    let attribute = NSAttributeDescription()
    (attribute.name, attribute.attributeType, attribute.isOptional) = (name, type, true)
    configure(attribute)
    return attribute
  }

  static func entity(
    _ name: String, was former: String? = nil, _ properties: [NSPropertyDescription],
    subentities: [NSEntityDescription] = []
  ) -> NSEntityDescription {
    let entity = NSEntityDescription()
    (entity.name, entity.properties, entity.subentities) = (name, properties, subentities)
    if let former { entity.renamingIdentifier = former }
    return entity
  }

  /// Relates two entities; a count of 0 is to-many.
  static func relate(
    _ one: NSEntityDescription, _ name: String, _ count: Int, _ other: NSEntityDescription,
    _ inverse: String, _ inverseCount: Int,
    _ configure: (NSRelationshipDescription, NSRelationshipDescription) -> Void = { _, _ in }
  ) {
    let (there, back) = (NSRelationshipDescription(), NSRelationshipDescription())
    (there.name, there.maxCount, there.destinationEntity) = (name, count, other)
    (back.name, back.maxCount, back.destinationEntity) = (inverse, inverseCount, one)
    (there.inverseRelationship, back.inverseRelationship) = (back, there)
    (there.isOptional, back.isOptional) = (true, true)
    one.properties.append(there)
    other.properties.append(back)
    configure(there, back)
  }

  static func model(_ entities: [NSEntityDescription]) -> NSManagedObjectModel {
    let model = NSManagedObjectModel()
    model.entities = entities
    return model
  }

  /// Authors with books, some of them novels, that have tags.
  static func first() -> NSManagedObjectModel {
    let novel = entity("Novel", [attribute("genre")])
    let book = entity(
      "Book",
      [
        attribute("title"), attribute("pages", .integer16AttributeType),
        attribute("cover", .binaryDataAttributeType) { $0.allowsExternalBinaryDataStorage = true },
        attribute("gone"),
      ], subentities: [novel])
    let author = entity("Author", [attribute("name"), attribute("born", .dateAttributeType)])
    let tag = entity("Tag", [attribute("label")])
    let shelf = entity("Shelf", [attribute("room")])
    relate(author, "books", 0, book, "author", 1)
    relate(book, "tags", 0, tag, "books", 0)
    relate(book, "sequel", 1, book, "prequel", 1)
    return model([author, book, novel, tag, shelf])
  }

  /// Renamed authors, ordered books and tags, new and stricter attributes, and no shelves.
  static func second() -> NSManagedObjectModel {
    let novel = entity("Novel", [attribute("genre")])
    let book = entity(
      "Book",
      [
        attribute("name") { $0.renamingIdentifier = "title" },
        attribute("pages", .integer16AttributeType) {
          ($0.isOptional, $0.defaultValue) = (false, 7)
        },
        attribute("cover", .binaryDataAttributeType) { $0.allowsExternalBinaryDataStorage = true },
        attribute("language") { $0.defaultValue = "en" },
      ], subentities: [novel])
    let writer = entity(
      "Writer", was: "Author", [attribute("name"), attribute("born", .dateAttributeType)])
    let tag = entity("Tag", [attribute("label")])
    let prize = entity("Prize", [attribute("name")])
    relate(writer, "books", 0, book, "writers", 0) { books, writers in
      books.isOrdered = true
      writers.renamingIdentifier = "author"
    }
    relate(book, "tags", 0, tag, "books", 0)
    relate(book, "sequel", 1, book, "prequel", 1)
    relate(prize, "book", 1, book, "prizes", 0)
    return model([writer, book, novel, tag, prize])
  }
}

/// The contents of a store, independent of keys: each object as text, related objects by name.
struct StoreText: Equatable, CustomStringConvertible {
  private let lines: [String]

  /// Reads all objects of a context.
  ///
  /// - Parameter name: A text that identifies an object.
  init(_ context: NSManagedObjectContext, name: (NSManagedObject) -> String) throws {
    let model = context.persistentStoreCoordinator?.managedObjectModel
    var lines: [String] = []
    for entity in model?.entities ?? [] {
      let request = NSFetchRequest<NSManagedObject>(entityName: entity.name ?? "")
      request.includesSubentities = false
      for object in try context.fetch(request) {
        let values = entity.propertiesByName.keys.sorted().map {
          "\($0): \(Self.text(object.value(forKey: $0), name))"
        }
        lines.append("\(entity.name ?? "") \(values.joined(separator: ", "))")
      }
    }
    self.lines = lines.sorted()
  }

  private static func text(_ value: Any?, _ name: (NSManagedObject) -> String) -> String {
    switch value {
    case nil: "nil"
    case let object as NSManagedObject: name(object)
    case let set as NSOrderedSet:
      "[" + set.compactMap { ($0 as? NSManagedObject).map(name) }.joined(separator: " ") + "]"
    case let set as NSSet:
      "{" + set.compactMap { ($0 as? NSManagedObject).map(name) }.sorted().joined(separator: " ")
        + "}"
    case let data as Data: "\(data.count) bytes of \(data.first ?? 0)"
    case let value?: "\(value)"
    }
  }

  var description: String { lines.joined(separator: "\n") }
}
