import Foundation
import ManagedObjectModel
import ManagedObjects
import ObjectRows
import PredicateLanguage
import SQLiteDriver
import Synchronization
import Testing

/// Stores of a model with every type of attribute and every delete rule, for batch requests.
struct Warehouse {
  let coordinator: NSPersistentStoreCoordinator
  let context: NSManagedObjectContext
  let folder: URL

  init(
    in folder: URL, _ names: [String] = ["a"], keepsHistory: Bool = true,
    posts: Bool = false, model: NSManagedObjectModel = Warehouse.model()
  ) throws {
    self.folder = folder
    coordinator = NSPersistentStoreCoordinator(managedObjectModel: model)
    for name in names {
      try coordinator.addPersistentStore(
        ofType: NSSQLiteStoreType, configurationName: nil,
        at: folder.appendingPathComponent("\(name).sqlite"),
        options: [
          NSPersistentHistoryTrackingKey: keepsHistory,
          NSPersistentStoreRemoteChangeNotificationPostOptionKey: posts,
        ])
    }
    context = Self.makeContext(coordinator)
    context.transactionAuthor = "Ann"
    context.name = "main"
  }

  static func makeContext(_ coordinator: NSPersistentStoreCoordinator) -> NSManagedObjectContext {
    let context = NSManagedObjectContext.onAnyThread()
    context.persistentStoreCoordinator = coordinator
    return context
  }

  /// Another context of the coordinator.
  func otherContext() -> NSManagedObjectContext { Self.makeContext(coordinator) }

  // MARK: Objects

  @discardableResult
  func add(_ entity: String, _ values: [String: Any] = [:]) -> NSManagedObject {
    let object = NSEntityDescription.insertNewObject(forEntityName: entity, into: context)
    for (key, value) in values.sorted(by: { $0.key < $1.key }) {
      object.setValue(value, forKey: key)
    }
    return object
  }

  /// Items with the counts 1, 2, 3 and so on, and codes and titles made of these numbers.
  @discardableResult
  func addItems(_ count: Int) throws -> [NSManagedObject] {
    let items = (1...count).map { number in
      add("Item", ["code": "c\(number)", "title": "t\(number)", "count": number])
    }
    try context.save()
    return items
  }

  /// The values of keys, in a line for each object of the store; the lines are sorted.
  func lines(_ entity: String, _ keys: String...) throws -> [String] {
    let request = NSFetchRequest<NSManagedObject>(entityName: entity)
    let context = otherContext()
    let lines = try context.fetch(request).map { object in
      keys.map { key in
        object.value(forKeyPath: key).map { "\($0)" } ?? "nil"
      }.joined(separator: " ")
    }
    return withExtendedLifetime(context) { lines.sorted() }
  }

  /// The rows of a query on the file of the store `a`, with their values separated by spaces.
  func rows(_ sql: String) throws -> [String] {
    let connection = try Connection(.file(folder.appendingPathComponent("a.sqlite").path))
    return try connection.rows(sql).map { row in
      row.map { value in
        switch value {
        case .null: "nil"
        case .integer(let number): "\(number)"
        case .real(let number): "\(number)"
        case .text(let text): text
        case .blob(let bytes): "\(bytes.count) bytes"
        }
      }.joined(separator: " ")
    }
  }

  /// The changes after a token, such as `update Item p3 count title`, in their order.
  func history(after token: NSPersistentHistoryToken? = nil) throws -> [String] {
    let result = try context.execute(NSPersistentHistoryChangeRequest.fetchHistory(after: token))
    let transactions = (result as? NSPersistentHistoryResult)?.result
    return (transactions as? [NSPersistentHistoryTransaction] ?? []).flatMap { transaction in
      (transaction.changes ?? []).map { change in
        let id = change.changedObjectID
        let names = change.updatedProperties?.map(\.name).sorted() ?? []
        let tombstone = change.tombstone?.map { "\($0.key)=\($0.value)" }.sorted() ?? []
        return
          ([
            "\(change.changeType)", id.entity.name ?? "",
            id.uriRepresentation().lastPathComponent,
          ]
          + names + tombstone).joined(separator: " ")
      }
    }
  }

  var token: NSPersistentHistoryToken? {
    coordinator.currentPersistentHistoryToken(fromStores: nil)
  }

  /// The external files of the store `a`.
  func files() -> [String] {
    let path = folder.appendingPathComponent(".a_SUPPORT/_EXTERNAL_DATA").path
    return (try? FileManager.default.contentsOfDirectory(atPath: path).sorted()) ?? []
  }

  /// The error of a request.
  func error(
    _ request: NSPersistentStoreRequest, sourceLocation: SourceLocation = #_sourceLocation
  ) -> NSError? {
    let error = #expect(throws: (any Error).self, sourceLocation: sourceLocation) {
      _ = try context.execute(request)
    }
    return error.map { $0 as NSError }
  }
}

// MARK: - Requests

extension Warehouse {
  func request(_ entity: String, _ format: String? = nil) -> NSFetchRequest<
    any NSFetchRequestResult
  > {
    let request = NSFetchRequest<any NSFetchRequestResult>(entityName: entity)
    request.predicate = format.map { NSPredicate(format: $0) }
    return request
  }

  /// Deletes objects, and returns their number.
  @discardableResult
  func delete(_ entity: String, _ format: String? = nil) throws -> Int {
    let batch = NSBatchDeleteRequest(fetchRequest: request(entity, format))
    batch.resultType = .resultTypeCount
    return try #require((try context.execute(batch) as? NSBatchDeleteResult)?.result as? Int)
  }

  /// Updates objects, and returns their number.
  @discardableResult
  func update(_ entity: String, _ format: String? = nil, _ values: [AnyHashable: Any]) throws
    -> Int
  {
    let batch = updateRequest(entity, format, values)
    batch.resultType = .updatedObjectsCountResultType
    return try #require((try context.execute(batch) as? NSBatchUpdateResult)?.result as? Int)
  }

  func updateRequest(_ entity: String, _ format: String? = nil, _ values: [AnyHashable: Any])
    -> NSBatchUpdateRequest
  {
    let batch = NSBatchUpdateRequest(entityName: entity)
    batch.predicate = format.map { NSPredicate(format: $0) }
    batch.propertiesToUpdate = values
    return batch
  }

  /// Inserts objects, and returns their number.
  @discardableResult
  func insert(_ entity: String, _ objects: [[String: Any]]) throws -> Int {
    let batch = NSBatchInsertRequest(entityName: entity, objects: objects)
    batch.resultType = .count
    return try #require((try context.execute(batch) as? NSBatchInsertResult)?.result as? Int)
  }
}

// MARK: - Model

extension Warehouse {
  static func model() -> NSManagedObjectModel {
    let owner = entity("Owner", [attribute("name", .stringAttributeType)])
    let shelf = entity("Shelf", [attribute("name", .stringAttributeType), derivedCount()])
    let item = entity("Item", itemAttributes())
    item.uniquenessConstraints = [["code"]]
    let special = entity("Special", [attribute("size", .doubleAttributeType)])
    item.subentities = [special]
    let tag = entity("Tag", [attribute("label", .stringAttributeType)])
    let slip = entity("Slip", [attribute("text", .stringAttributeType)])
    relate(owner, "shelves", .denyDeleteRule, shelf, "owner", .nullifyDeleteRule)
    relate(shelf, "items", .cascadeDeleteRule, item, "shelf", .nullifyDeleteRule)
    relate(item, "slips", .nullifyDeleteRule, slip, "item", .nullifyDeleteRule)
    relate(tag, "items", .nullifyDeleteRule, item, "tags", .nullifyDeleteRule, isManyToMany: true)
    slip.relationshipsByName["item"]?.isOptional = false
    let model = NSManagedObjectModel()
    model.entities = [owner, shelf, item, special, tag, slip]
    return model
  }

  private static func itemAttributes() -> [NSAttributeDescription] {
    let count = attribute("count", .integer64AttributeType)
    count.defaultValue = 7
    let photo = attribute("photo", .binaryDataAttributeType)
    photo.allowsExternalBinaryDataStorage = true
    let memo = attribute("memo", .stringAttributeType)
    memo.isTransient = true
    let title = attribute("title", .stringAttributeType)
    title.preservesValueInHistoryOnDeletion = true
    let colour = attribute("colour", .transformableAttributeType)
    colour.valueTransformerName = "NSSecureUnarchiveFromData"
    let shade = attribute("shade", .transformableAttributeType)
    shade.valueTransformerName = "NSSecureUnarchiveFromData"
    shade.defaultValue = ["dark"]
    let place = NSCompositeAttributeDescription()
    place.name = "place"
    place.isOptional = true
    place.elements = [
      attribute("hall", .stringAttributeType), attribute("x", .doubleAttributeType),
    ]
    let needed = attribute("needed", .stringAttributeType)
    needed.isOptional = false
    needed.defaultValue = "yes"
    return [
      title, attribute("code", .stringAttributeType), count, photo, memo, colour, shade, place,
      needed,
      attribute("small", .integer16AttributeType), attribute("isNew", .booleanAttributeType),
      attribute("price", .decimalAttributeType), attribute("day", .dateAttributeType),
      attribute("id", .UUIDAttributeType), attribute("link", .URIAttributeType),
      attribute("weight", .floatAttributeType), attribute("data", .binaryDataAttributeType),
      attribute("middle", .integer32AttributeType),
    ]
  }

  private static func derivedCount() -> NSDerivedAttributeDescription {
    let derived = NSDerivedAttributeDescription()
    (derived.name, derived.attributeType) = ("itemCount", .integer64AttributeType)
    derived.isOptional = true
    derived.derivationExpression = PredicateLanguage.NSExpression(format: "items.@count")
    return derived
  }

  private static func entity(_ name: String, _ properties: [NSPropertyDescription])
    -> NSEntityDescription
  {
    let entity = NSEntityDescription()
    entity.name = name
    entity.properties = properties
    return entity
  }

  private static func attribute(_ name: String, _ type: NSAttributeType) -> NSAttributeDescription {
    let attribute = NSAttributeDescription()
    (attribute.name, attribute.attributeType, attribute.isOptional) = (name, type, true)
    return attribute
  }

  /// Relates two entities by a to-many relationship and its inverse.
  private static func relate(
    _ one: NSEntityDescription, _ many: String, _ rule: NSDeleteRule,
    _ other: NSEntityDescription, _ back: String, _ backRule: NSDeleteRule,
    isManyToMany: Bool = false
  ) {
    let there = NSRelationshipDescription()
    (there.name, there.destinationEntity, there.deleteRule) = (many, other, rule)
    let inverse = NSRelationshipDescription()
    (inverse.name, inverse.destinationEntity, inverse.deleteRule) = (back, one, backRule)
    inverse.maxCount = isManyToMany ? 0 : 1
    for relationship in [there, inverse] { relationship.isOptional = true }
    (there.inverseRelationship, inverse.inverseRelationship) = (inverse, there)
    one.properties += [there]
    other.properties += [inverse]
  }
}

/// A number that several threads may increase.
final class LockedCount: Sendable {
  private let count = Mutex(0)
  var value: Int { count.withLock { $0 } }
  func increment() { count.withLock { $0 += 1 } }
}
